#include "client/ctl/scatterctl.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "client/ctl/gradient_flags.h"
#include "client/ctl/graph_flags.h"
#include "client/ctl/help_text.h"
#include "client/ctl/literal.h"
#include "client/ctl/operator_flags.h"
#include "client/ctl/tensor_file.h"
#include "core/status_macros.h"
#include "scatterd/client.h"

namespace scatterd {
namespace {

enum ExitStatus { kDone = 0, kRefused = 1, kUsage = 2 };

// "1.5s", "200ms", or a number of seconds.
absl::StatusOr<absl::Duration> ParseTimeout(const std::string& text) {
  absl::Duration timeout;
  double seconds;
  if (absl::SimpleAtod(text, &seconds)) {
    timeout = absl::Seconds(seconds);
  } else if (!absl::ParseDuration(text, &timeout)) {
    timeout = absl::ZeroDuration();
  }
  if (timeout > absl::ZeroDuration()) return timeout;
  return absl::InvalidArgumentError(
      absl::StrCat("--timeout: \"", text, "\" is no time (like 1.5s)"));
}

class Scatterctl {
 public:
  Scatterctl(std::ostream& out, std::ostream& err);

  int Run(int argc, const char* const* argv);

 private:
  struct OperatorCommand {
    OperatorId id;
    CLI::App* app;
    OperatorFlags flags;
  };

  struct GradientCommand {
    OperatorId id;
    CLI::App* app;
    GradientFlags flags;
  };

  void AddOperatorCommand(OperatorId id);
  void AddGradientCommand(OperatorId id);
  void AddRunCommand();
  void AddHealthCommand();

  int RunParsed();
  int RunOperator(const OperatorCommand& command);
  int RunHealth();
  int RunGraph();
  int Deliver(const GraphCommand& command, const GraphResult& result);
  int Deliver(const OperatorCommand& command, const OperatorResult& result);
  int RunGradient(const GradientCommand& command);
  int Deliver(const GradientCommand& command, const GradientResult& result);
  absl::Status WriteOrPrint(const Tensor& tensor, const std::string& flag,
                            const std::string& path);
  void PrintStats(const ExecutionStats& stats);

  absl::StatusOr<std::unique_ptr<Client>> Connect() const;
  absl::StatusOr<CallOptions> BuildCallOptions() const;

  int Usage(absl::string_view what);
  int Refused(const absl::Status& status);

  std::ostream& out_;
  std::ostream& err_;
  CLI::App app_;
  std::string address_ = "localhost:50051";
  std::string timeout_;
  std::map<OperatorId, OperatorCommand> operators_;
  CLI::App* gradient_ = nullptr;
  std::map<OperatorId, GradientCommand> gradients_;
  CLI::App* run_ = nullptr;
  GraphFlags graph_flags_;
  CLI::App* health_ = nullptr;
  std::string service_;
};

Scatterctl::Scatterctl(std::ostream& out, std::ostream& err)
    : out_(out), err_(err), app_(kMainDescription, "scatterctl") {
  app_.footer(kMainFooter);
  app_.set_version_flag("--version", "scatterctl " SCATTERD_VERSION);
  app_.add_option("--address", address_,
                  "The server: host:port, [::1]:port, unix:/path or "
                  "unix-abstract:name (default: localhost:50051)")
      ->type_name("ADDRESS")
      ->envname("SCATTERD_ADDRESS");
  app_.add_option("--timeout", timeout_,
                  "Give up after this time, like 1.5s or 200ms (default: "
                  "never)")
      ->type_name("TIME");
  app_.require_subcommand(0, 1);
  app_.fallthrough();
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  AddOperatorCommand(OperatorId::id);
#include "core/ops/ops.inc"
  gradient_ = app_.add_subcommand("gradient", kGradientSummary);
  gradient_->require_subcommand(1);
  gradient_->footer(kGradientFooter);
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  AddGradientCommand(OperatorId::id);
#include "core/ops/ops.inc"
  AddRunCommand();
  AddHealthCommand();
}

void Scatterctl::AddOperatorCommand(OperatorId id) {
  const OperatorHelp& help = HelpFor(id);
  OperatorCommand& command = operators_[id];
  command.id = id;
  command.app = app_.add_subcommand(help.command, help.summary);
  command.app->footer(absl::StrCat(help.description, "\n\n", help.footer,
                                   "\n\nscatterctl --help says what TENSOR "
                                   "may be."));
  AddOperatorFlags(*command.app, id, command.flags);
}

void Scatterctl::AddGradientCommand(OperatorId id) {
  const OperatorHelp& help = HelpFor(id);
  GradientCommand& command = gradients_[id];
  command.id = id;
  command.app = gradient_->add_subcommand(
      help.command, absl::StrCat("Gradients of scatterctl ", help.command));
  command.app->footer(kGradientFooter);
  AddGradientFlags(*command.app, id, command.flags);
}

void Scatterctl::AddRunCommand() {
  run_ = app_.add_subcommand("run", "Runs an ONNX model of operators");
  run_->footer(kRunFooter);
  AddGraphFlags(*run_, graph_flags_);
}

void Scatterctl::AddHealthCommand() {
  health_ = app_.add_subcommand("health", "Asks whether the server serves");
  health_
      ->add_option("--service", service_,
                   "One service (default: the server as a whole)")
      ->type_name("NAME");
  health_->footer(kHealthFooter);
}

int Scatterctl::Usage(absl::string_view what) {
  err_ << "scatterctl: " << absl::StrReplaceAll(what, {{"\n", " "}}) << "\n";
  return kUsage;
}

int Scatterctl::Refused(const absl::Status& status) {
  err_ << absl::StatusCodeToString(status.code()) << ": " << status.message()
       << "\n";
  return kRefused;
}

int Scatterctl::Run(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app_.exit(help, out_, err_);
  } catch (const CLI::ParseError& error) {
    return Usage(error.what());
  }
  return RunParsed();
}

int Scatterctl::RunParsed() {
  if (health_->parsed()) return RunHealth();
  if (run_->parsed()) return RunGraph();
  for (const auto& [id, command] : operators_) {
    if (command.app->parsed()) return RunOperator(command);
  }
  for (const auto& [id, command] : gradients_) {
    if (command.app->parsed()) return RunGradient(command);
  }
  return Usage("a command is missing; --help lists them");
}

absl::StatusOr<std::unique_ptr<Client>> Scatterctl::Connect() const {
  absl::StatusOr<std::unique_ptr<Client>> client = Client::Create(address_);
  if (client.ok()) return client;
  return absl::InvalidArgumentError(
      absl::StrCat("--address: ", client.status().message()));
}

absl::StatusOr<CallOptions> Scatterctl::BuildCallOptions() const {
  CallOptions options;
  if (timeout_.empty()) return options;
  SCATTERD_ASSIGN_OR_RETURN(options.timeout, ParseTimeout(timeout_));
  return options;
}

int Scatterctl::RunOperator(const OperatorCommand& command) {
  if (!command.flags.output.empty()) {
    const absl::Status status = CheckTensorPath(command.flags.output);
    if (!status.ok())
      return Usage(absl::StrCat("--output: ", status.message()));
  }
  const absl::StatusOr<OperatorCall> call =
      BuildCall(command.id, command.flags);
  if (!call.ok()) return Usage(call.status().message());
  const absl::StatusOr<CallOptions> options = BuildCallOptions();
  if (!options.ok()) return Usage(options.status().message());
  const absl::StatusOr<std::unique_ptr<Client>> client = Connect();
  if (!client.ok()) return Usage(client.status().message());
  const absl::StatusOr<OperatorResult> result =
      (*client)->Call(*call, *options);
  if (!result.ok()) return Refused(result.status());
  return Deliver(command, *result);
}

int Scatterctl::Deliver(const OperatorCommand& command,
                        const OperatorResult& result) {
  if (!result.output) {
    return Refused(absl::InternalError("the reply has no output"));
  }
  if (command.flags.stats) PrintStats(result.stats);
  const absl::Status status =
      WriteOrPrint(*result.output, "--output", command.flags.output);
  return status.ok() ? kDone : Usage(status.message());
}

absl::Status Scatterctl::WriteOrPrint(const Tensor& tensor,
                                      const std::string& flag,
                                      const std::string& path) {
  if (!path.empty()) {
    const absl::Status status = WriteTensor(tensor, path);
    if (status.ok()) return status;
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": ", status.message()));
  }
  SCATTERD_ASSIGN_OR_RETURN(const std::string text, FormatLiteral(tensor));
  out_ << text << "\n";
  return absl::OkStatus();
}

int Scatterctl::RunGradient(const GradientCommand& command) {
  const GradientFlags& flags = command.flags;
  for (const auto& [flag, path] :
       {std::pair("--output: ", flags.forward.output),
        std::pair("--output-updates: ", flags.output_updates)}) {
    if (path.empty()) continue;
    const absl::Status status = CheckTensorPath(path);
    if (!status.ok()) return Usage(absl::StrCat(flag, status.message()));
  }
  const absl::StatusOr<GradientCall> call =
      BuildGradientCall(command.id, flags);
  if (!call.ok()) return Usage(call.status().message());
  const absl::StatusOr<CallOptions> options = BuildCallOptions();
  if (!options.ok()) return Usage(options.status().message());
  const absl::StatusOr<std::unique_ptr<Client>> client = Connect();
  if (!client.ok()) return Usage(client.status().message());
  const absl::StatusOr<GradientResult> result =
      (*client)->Gradient(*call, *options);
  if (!result.ok()) return Refused(result.status());
  return Deliver(command, *result);
}

// A gather's only gradient is printed as it is, a scatter's two with names.
int Scatterctl::Deliver(const GradientCommand& command,
                        const GradientResult& result) {
  const GradientFlags& flags = command.flags;
  if (flags.forward.stats) PrintStats(result.stats);
  const bool names = result.grad_updates.has_value();
  if (names && flags.forward.output.empty()) out_ << "grad_data:\n";
  absl::Status status =
      WriteOrPrint(result.grad_data, "--output", flags.forward.output);
  if (status.ok() && result.grad_updates) {
    if (flags.output_updates.empty()) out_ << "grad_updates:\n";
    status = WriteOrPrint(*result.grad_updates, "--output-updates",
                          flags.output_updates);
  }
  return status.ok() ? kDone : Usage(status.message());
}

int Scatterctl::RunGraph() {
  const absl::StatusOr<GraphCommand> command = BuildGraphCommand(graph_flags_);
  if (!command.ok()) return Usage(command.status().message());
  const absl::StatusOr<CallOptions> options = BuildCallOptions();
  if (!options.ok()) return Usage(options.status().message());
  const absl::StatusOr<std::unique_ptr<Client>> client = Connect();
  if (!client.ok()) return Usage(client.status().message());
  const absl::StatusOr<GraphResult> result =
      (*client)->Run(command->call, *options);
  if (!result.ok()) return Refused(result.status());
  return Deliver(*command, *result);
}

// One result is printed as it is, several with names.
int Scatterctl::Deliver(const GraphCommand& command,
                        const GraphResult& result) {
  if (result.outputs.size() != command.files.size()) {
    return Refused(absl::InternalError("the reply has other outputs"));
  }
  if (graph_flags_.stats) PrintStats(result.stats);
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const std::string& file = command.files[i];
    if (file.empty() && command.files.size() > 1) {
      out_ << command.call.fetches[i] << ":\n";
    }
    const absl::Status status =
        WriteOrPrint(result.outputs[i], "--output", file);
    if (!status.ok()) return Usage(status.message());
  }
  return kDone;
}

void Scatterctl::PrintStats(const ExecutionStats& stats) {
  err_ << absl::StrCat(
      "device ", stats.device, ", queued ",
      absl::FormatDuration(absl::Nanoseconds(stats.queue_ns)), ", computed ",
      absl::FormatDuration(absl::Nanoseconds(stats.compute_ns)), ", read ",
      stats.bytes_read, " bytes, wrote ", stats.bytes_written, " bytes\n");
}

int Scatterctl::RunHealth() {
  const absl::StatusOr<CallOptions> options = BuildCallOptions();
  if (!options.ok()) return Usage(options.status().message());
  const absl::StatusOr<std::unique_ptr<Client>> client = Connect();
  if (!client.ok()) return Usage(client.status().message());
  const absl::StatusOr<HealthStatus> health =
      (*client)->Health(service_, *options);
  if (!health.ok()) return Refused(health.status());
  static constexpr const char* kNames[] = {"UNKNOWN", "SERVING", "NOT_SERVING",
                                           "SERVICE_UNKNOWN"};
  out_ << kNames[static_cast<int>(*health)] << "\n";
  return *health == HealthStatus::kServing ? kDone : kRefused;
}

}  // namespace

int RunScatterctl(int argc, const char* const* argv, std::ostream& out,
                  std::ostream& err) {
  return Scatterctl(out, err).Run(argc, argv);
}

}  // namespace scatterd
