#include "client/ctl/gradient_flags.h"

#include <utility>
#include <variant>

#include "CLI/Option.hpp"
#include "absl/strings/str_cat.h"
#include "client/ctl/tensor_file.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

DType DTypeOfOperand(const Operand& data) {
  const auto* zeros = std::get_if<ZerosSpec>(&data);
  return zeros != nullptr ? zeros->spec.dtype : std::get<Tensor>(data).dtype();
}

}  // namespace

void AddGradientFlags(CLI::App& command, OperatorId id, GradientFlags& flags) {
  AddOperatorFlags(command, id, flags.forward);
  command.get_option("--output")
      ->description(
          "Write the gradient of data to FILE.npy or\nFILE.pb "
          "(default: print it as a literal)");
  command
      .add_option("--grad-output", flags.grad_output,
                  "The gradient of the operator's result, as\nTENSOR; literals "
                  "take data's dtype")
      ->type_name("TENSOR")
      ->group("Operands")
      ->required();
  command
      .add_option("--scale", flags.scale,
                  "Multiplies the gradients; 0 gives exact zeros\n(default: 1)")
      ->type_name("X")
      ->group("Attributes");
  if (!IsScatter(id)) return;
  command
      .add_option("--output-updates", flags.output_updates,
                  "Write the gradient of updates to FILE.npy or\nFILE.pb "
                  "(default: print it as a literal)")
      ->type_name("FILE")
      ->group("Result");
}

absl::StatusOr<GradientCall> BuildGradientCall(OperatorId id,
                                               const GradientFlags& flags) {
  GradientCall call;
  SCATTERD_ASSIGN_OR_RETURN(call.forward, BuildCall(id, flags.forward));
  absl::StatusOr<Tensor> grad_output =
      ReadTensor(flags.grad_output, DTypeOfOperand(call.forward.data));
  if (!grad_output.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--grad-output: ", grad_output.status().message()));
  }
  call.grad_output = *std::move(grad_output);
  call.scale = flags.scale;
  return call;
}

}  // namespace scatterd
