#include "client/ctl/tensor_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/ctl/literal.h"
#include "client/ctl/npy.h"
#include "core/status_macros.h"
#include "proto/codec.h"

namespace scatterd {
namespace {

enum class Format { kLiteral, kNpy, kOnnx };

Format FormatOf(absl::string_view name) {
  if (absl::EndsWith(name, ".npy")) return Format::kNpy;
  if (absl::EndsWith(name, ".pb")) return Format::kOnnx;
  return Format::kLiteral;
}

absl::Status FileError(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
}

absl::Status WriteFile(const std::string& path,
                       const std::vector<Buffer>& parts) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return FileError(path, std::strerror(errno));
  for (const Buffer& part : parts) {
    file.write(reinterpret_cast<const char*>(part.data()),
               static_cast<std::streamsize>(part.size()));
  }
  file.close();
  if (!file) return FileError(path, "cannot be written");
  return absl::OkStatus();
}

absl::StatusOr<Tensor> ReadNpy(const std::string& path) {
  SCATTERD_ASSIGN_OR_RETURN(const Buffer bytes, ReadFile(path));
  return ParseNpy(bytes);
}

absl::StatusOr<Tensor> ReadOnnx(const std::string& path) {
  SCATTERD_ASSIGN_OR_RETURN(const Buffer bytes, ReadFile(path));
  const absl::string_view piece(reinterpret_cast<const char*>(bytes.data()),
                                bytes.size());
  return DecodeTensor({&piece, 1}, ReserveAnything);
}

absl::Status WriteNpy(const Tensor& tensor, const std::string& path) {
  SCATTERD_ASSIGN_OR_RETURN(const NpyFile npy, FormatNpy(tensor));
  return WriteFile(path,
                   {Buffer::Wrap(npy.header.data(), npy.header.size(), nullptr),
                    npy.elements});
}

absl::Status WriteOnnx(const Tensor& tensor, const std::string& path) {
  SCATTERD_ASSIGN_OR_RETURN(const EncodedMessage message, EncodeTensor(tensor));
  return WriteFile(path, message.parts());
}

// The status with the argument's name in front, unless it is there already.
absl::Status Named(absl::string_view name, const absl::Status& status) {
  if (absl::StartsWith(status.message(), name)) return status;
  return absl::Status(status.code(),
                      absl::StrCat(name, ": ", status.message()));
}

absl::StatusOr<Tensor> ReadLiteral(const std::string& argument,
                                   std::optional<DType> dtype) {
  absl::StatusOr<Tensor> tensor = ParseLiteral(argument, dtype);
  if (tensor.ok()) return tensor;
  std::error_code ignored;
  if (std::filesystem::exists(argument, ignored)) {
    return FileError(argument, "a file must be named .npy or .pb");
  }
  return Named("literal", tensor.status());
}

}  // namespace

absl::StatusOr<Buffer> ReadFile(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return FileError(path, error.message());
  SCATTERD_ASSIGN_OR_RETURN(Buffer bytes, Buffer::Allocate(size));
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileError(path, std::strerror(errno));
  if (!file.read(reinterpret_cast<char*>(bytes.mutable_data()),
                 static_cast<std::streamsize>(size))) {
    return FileError(path, "cannot be read");
  }
  return bytes;
}

absl::StatusOr<Tensor> ReadTensor(const std::string& argument,
                                  std::optional<DType> dtype) {
  const Format format = FormatOf(argument);
  if (format == Format::kLiteral) return ReadLiteral(argument, dtype);
  absl::StatusOr<Tensor> tensor =
      format == Format::kNpy ? ReadNpy(argument) : ReadOnnx(argument);
  if (!tensor.ok()) return Named(argument, tensor.status());
  return tensor;
}

absl::Status CheckTensorPath(const std::string& path) {
  if (FormatOf(path) != Format::kLiteral) return absl::OkStatus();
  return FileError(path, "a file must be named .npy or .pb");
}

absl::Status WriteTensor(const Tensor& tensor, const std::string& path) {
  SCATTERD_RETURN_IF_ERROR(CheckTensorPath(path));
  const absl::Status status = FormatOf(path) == Format::kNpy
                                  ? WriteNpy(tensor, path)
                                  : WriteOnnx(tensor, path);
  if (!status.ok()) return Named(path, status);
  return status;
}

}  // namespace scatterd
