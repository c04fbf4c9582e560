// scatterd: scatter and gather on tensors, over gRPC.

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "core/backends/cpu/instruction_set.h"
#include "server/command_line.h"
#include "server/health_probe.h"
#include "server/logging.h"
#include "server/process.h"
#include "server/server.h"

namespace scatterd {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// Shorter than the time that container engines give a health check.
constexpr absl::Duration kProbeTimeout = absl::Seconds(3);

int Fail(int exit_code, absl::string_view message) {
  std::fprintf(stderr, "scatterd: %.*s\n", static_cast<int>(message.size()),
               message.data());
  return exit_code;
}

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// For the stop signals after the first: as process 1 of a container, this
// process has no default action for them.
void ExitAtNextStopSignal() {
  const auto exit_now = [](int) { _exit(kExitFailure); };
  std::signal(SIGINT, exit_now);
  std::signal(SIGTERM, exit_now);
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

std::string Addresses(const Server& server) {
  return absl::StrJoin(server.listeners(), " ",
                       [](std::string* out, const Listener& listener) {
                         absl::StrAppend(out, listener.ToString());
                       });
}

int Serve(const ServerOptions& options) {
  // Threads inherit the mask, so that sigwait below is the only receiver.
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  const absl::Status isa = SelectInstructionSet(options.isa);
  if (!isa.ok())
    return Fail(kExitFailure, absl::StrCat("--isa: ", isa.message()));

  Log log(options.log_level, options.log_format);
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options, log);
  if (!server.ok()) return Fail(kExitFailure, server.status().message());
  const std::string addresses = Addresses(**server);
  log.Write(LogLevel::kInfo, "ready",
            {{"version", SCATTERD_VERSION},
             {"listeners", addresses},
             {"isa", InstructionSetInUse()}});
  // Last, for whoever waits for this line calls next.
  std::printf("scatterd " SCATTERD_VERSION " ready: %s\n", addresses.c_str());
  std::fflush(stdout);

  int signal = 0;
  sigwait(&signals, &signal);
  log.Write(LogLevel::kInfo, "draining", {{"signal", signal}});
  ExitAtNextStopSignal();
  (*server)->Stop(absl::Seconds(options.drain_seconds));
  log.Write(LogLevel::kInfo, "stopped", {});
  return 0;
}

int HealthCheck(const ServerOptions& options) {
  const Listener& listener = options.listen.front();
  if (listener.kind == Listener::Kind::kTcp && listener.port == 0) {
    return Fail(kExitUsage, "--health_check: port 0 is no server's address");
  }
  const absl::Status status =
      ProbeHealth(listener.ClientTarget(), kProbeTimeout);
  if (status.ok()) return 0;
  return Fail(kExitFailure, absl::StrCat("not healthy: ", status.message()));
}

int Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<CommandLine> command_line = ParseCommandLine(
      arguments,
      [](const std::string& name) { return std::getenv(name.c_str()); },
      AvailableMemory());
  if (!command_line.ok()) {
    return Fail(kExitUsage, command_line.status().message());
  }
  const ServerOptions& options = command_line->options;
  if (options.malloc_tuning) TuneMalloc();
  // gRPC's own messages are for its developers; ours say what went wrong.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  switch (command_line->action) {
    case Action::kServe:
      return Serve(options);
    case Action::kHealthCheck:
      return HealthCheck(options);
    case Action::kPrintConfig:
      return Print(command_line->config);
    case Action::kPrintVersion:
      return Print("scatterd " SCATTERD_VERSION "\n");
    case Action::kHelp:
      return Print(HelpText());
  }
  return kExitUsage;
}

}  // namespace
}  // namespace scatterd

int main(int argc, char** argv) {
  return scatterd::Main(std::vector<std::string>(argv + 1, argv + argc));
}
