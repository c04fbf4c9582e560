#include "client/ctl/operator_flags.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "CLI/Option.hpp"
#include "CLI/Validators.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/ctl/enum_names.h"
#include "client/ctl/tensor_file.h"
#include "client/ctl/tensor_spec_text.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

bool HasBatchDims(OperatorId id) {
  return id != OperatorId::kGatherElements &&
         id != OperatorId::kScatterElements;
}

bool HasAxis(OperatorId id) {
  return id != OperatorId::kGatherND && id != OperatorId::kScatterND;
}

void AddOperandFlags(CLI::App& command, OperatorId id, OperatorFlags& flags) {
  const std::string group = "Operands";
  CLI::Option* data =
      command.add_option("--data", flags.data, "What is read, as TENSOR");
  CLI::Option* zeros =
      command.add_option("--zeros", flags.zeros,
                         Wrapped("Instead of --data: zeros of this dtype and "
                                 "shape, like float32[2,3]; nothing is sent"));
  data->type_name("TENSOR")->group(group)->excludes(zeros);
  zeros->type_name("SPEC")->group(group)->excludes(data);
  command.add_option("--indices", flags.indices, "Where, as TENSOR")
      ->type_name("TENSOR")
      ->group(group)
      ->required();
  if (IsScatter(id)) {
    command
        .add_option("--updates", flags.updates, "What is written, as TENSOR")
        ->type_name("TENSOR")
        ->group(group)
        ->required();
  }
  command
      .add_option("--dtype", flags.dtype,
                  Wrapped("The dtype of literals in --data and --updates, "
                          "like float16 (default: what the values suggest; "
                          "updates take data's)"))
      ->type_name("DTYPE")
      ->group(group);
  command
      .add_option("--indices-dtype", flags.indices_dtype,
                  Wrapped("The dtype of a literal in --indices (default: "
                          "int64)"))
      ->type_name("DTYPE")
      ->group(group);
}

void AddAttributeFlags(CLI::App& command, OperatorId id, OperatorFlags& flags) {
  const std::string group = "Attributes";
  if (HasAxis(id)) {
    command
        .add_option("--axis", flags.axis,
                    Wrapped("The axis that indices address; negative "
                            "counts from the last (default: 0)"))
        ->type_name("N")
        ->group(group);
  }
  if (HasBatchDims(id)) {
    command
        .add_option("--batch-dims", flags.batch_dims,
                    Wrapped("Leading axes that data and indices share "
                            "(default: 0)"))
        ->type_name("N")
        ->group(group);
  }
  if (!IsScatter(id)) return;
  command
      .add_option("--reduction", flags.reduction,
                  "How an update meets what is there (default: none)")
      ->check(CLI::IsMember(ReductionNames()))
      ->type_name("NAME")
      ->group(group);
  command
      .add_flag("--exclude-self", flags.exclude_self,
                Wrapped("Leave data's own value out of the reduction where "
                        "an update arrives"))
      ->group(group);
}

void AddChoice(CLI::App& command, const std::string& name, std::string& value,
               const std::vector<std::string>& names,
               const std::string& description) {
  command.add_option(name, value, Wrapped(description))
      ->check(CLI::IsMember(names))
      ->type_name("NAME")
      ->group("Behaviour");
}

absl::StatusOr<std::optional<DType>> DTypeFlag(absl::string_view flag,
                                               const std::string& name) {
  if (name.empty()) return std::nullopt;
  absl::StatusOr<DType> dtype = ParseDType(name);
  if (!dtype.ok()) return AtFlag(flag, dtype.status());
  return *dtype;
}

absl::StatusOr<Tensor> TensorFlag(absl::string_view flag,
                                  const std::string& argument,
                                  std::optional<DType> dtype) {
  absl::StatusOr<Tensor> tensor = ReadTensor(argument, dtype);
  if (!tensor.ok()) return AtFlag(flag, tensor.status());
  return tensor;
}

absl::StatusOr<Operand> DataFlag(const OperatorFlags& flags,
                                 std::optional<DType> dtype) {
  if (!flags.zeros.empty()) {
    absl::StatusOr<TensorSpec> spec = ParseTensorSpec(flags.zeros);
    if (!spec.ok()) return AtFlag("--zeros", spec.status());
    return ZerosSpec{*std::move(spec)};
  }
  if (flags.data.empty()) {
    return absl::InvalidArgumentError("--data or --zeros is required");
  }
  return TensorFlag("--data", flags.data, dtype);
}

DType DTypeOfData(const Operand& data) {
  const auto* zeros = std::get_if<ZerosSpec>(&data);
  return zeros != nullptr ? zeros->spec.dtype : std::get<Tensor>(data).dtype();
}

}  // namespace

std::string Wrapped(absl::string_view text) {
  constexpr size_t kWidth = 48;
  std::string wrapped;
  size_t column = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const bool fits = column + word.size() < kWidth;
    if (column > 0) wrapped += fits ? ' ' : '\n';
    column = (fits ? column + 1 : 0) + word.size();
    absl::StrAppend(&wrapped, word);
  }
  return wrapped;
}

absl::Status AtFlag(absl::string_view flag, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", status.message()));
}

void AddBehaviourFlags(CLI::App& command, bool gathers, bool scatters,
                       OperatorFlags& flags) {
  AddChoice(command, "--dialect", flags.dialect, DialectNames(),
            "Whose defaults apply (default: onnx)");
  AddChoice(command, "--out-of-bounds", flags.out_of_bounds, OutOfBoundsNames(),
            "What an index outside its axis does (default: error)");
  AddChoice(command, "--negative-indices", flags.negative_indices,
            NegativeIndicesNames(), "What -1 means (default: from_end)");
  if (scatters) {
    AddChoice(command, "--duplicates", flags.duplicates, DuplicatesNames(),
              "Which of several updates of one position stays, with "
              "--reduction none (default: last_wins)");
    AddChoice(command, "--nan", flags.nan, NanPolicyNames(),
              "NaN under max and min (default: propagate)");
    AddChoice(command, "--accumulation", flags.accumulation,
              AccumulationNames(),
              "How float16 and bfloat16 add up: rounded after every update, "
              "or once (default: native)");
  }
  if (gathers) {
    command
        .add_option("--fill-value", flags.fill_value,
                    Wrapped("What --out-of-bounds skip writes, a scalar "
                            "TENSOR (default: zero)"))
        ->type_name("TENSOR")
        ->group("Behaviour");
  }
  command
      .add_option("--device", flags.device,
                  Wrapped("Where to compute: cpu or cuda:0 (default: the "
                          "server chooses)"))
      ->type_name("NAME")
      ->group("Behaviour");
}

absl::StatusOr<ExecutionOptions> BuildOptions(const OperatorFlags& flags,
                                              std::optional<DType> dtype) {
  ExecutionOptions options;
  options.dialect = FromName<Dialect>(DialectNames(), flags.dialect);
  options.out_of_bounds =
      FromName<OutOfBounds>(OutOfBoundsNames(), flags.out_of_bounds);
  options.negative_indices =
      FromName<NegativeIndices>(NegativeIndicesNames(), flags.negative_indices);
  options.duplicates =
      FromName<Duplicates>(DuplicatesNames(), flags.duplicates);
  options.nan = FromName<NanPolicy>(NanPolicyNames(), flags.nan);
  options.accumulation =
      FromName<Accumulation>(AccumulationNames(), flags.accumulation);
  options.device = flags.device;
  if (!flags.fill_value.empty()) {
    SCATTERD_ASSIGN_OR_RETURN(
        options.fill_value,
        TensorFlag("--fill-value", flags.fill_value, dtype));
  }
  return options;
}

void AddOperatorFlags(CLI::App& command, OperatorId id, OperatorFlags& flags) {
  AddOperandFlags(command, id, flags);
  AddAttributeFlags(command, id, flags);
  AddBehaviourFlags(command, !IsScatter(id), IsScatter(id), flags);
  command
      .add_option("-o,--output", flags.output,
                  Wrapped("Write the result to FILE.npy or FILE.pb "
                          "(default: print it as a literal)"))
      ->type_name("FILE")
      ->group("Result");
  command
      .add_flag("--stats", flags.stats,
                "Print the server's timings to standard error")
      ->group("Result");
}

absl::StatusOr<OperatorCall> BuildCall(OperatorId id,
                                       const OperatorFlags& flags) {
  OperatorCall call;
  call.op = id;
  SCATTERD_ASSIGN_OR_RETURN(const std::optional<DType> dtype,
                            DTypeFlag("--dtype", flags.dtype));
  SCATTERD_ASSIGN_OR_RETURN(const std::optional<DType> indices_dtype,
                            DTypeFlag("--indices-dtype", flags.indices_dtype));
  SCATTERD_ASSIGN_OR_RETURN(call.data, DataFlag(flags, dtype));
  SCATTERD_ASSIGN_OR_RETURN(call.indices,
                            TensorFlag("--indices", flags.indices,
                                       indices_dtype.value_or(DType::kInt64)));
  const DType data_dtype = DTypeOfData(call.data);
  if (IsScatter(id)) {
    SCATTERD_ASSIGN_OR_RETURN(
        call.updates,
        TensorFlag("--updates", flags.updates, dtype.value_or(data_dtype)));
  }
  call.attributes.axis = flags.axis;
  call.attributes.batch_dims = flags.batch_dims;
  call.attributes.reduction =
      ReductionFromName(flags.reduction).value_or(Reduction::kNone);
  call.attributes.exclude_self = flags.exclude_self;
  SCATTERD_ASSIGN_OR_RETURN(call.options, BuildOptions(flags, data_dtype));
  return call;
}

}  // namespace scatterd
