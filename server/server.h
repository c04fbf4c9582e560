// The server in one object: listeners, health, reflection, TensorOps.

#ifndef SCATTERD_SERVER_SERVER_H_
#define SCATTERD_SERVER_SERVER_H_

#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/backends/backend.h"
#include "core/executor.h"
#include "core/thread_pool.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/server.h"
#include "server/admission.h"
#include "server/dispatcher.h"
#include "server/listener.h"
#include "server/logging.h"
#include "server/options.h"
#include "server/tensor_ops_service.h"

namespace scatterd {

// Serves from Start to Stop.  Thread-compatible.
class Server {
 public:
  // Listens and serves.  UNAVAILABLE names the listener that the system
  // refused, and why; then nothing is left behind.  `options` may leave
  // defaults open.  `log` must outlive the server.  `backend` null: the CPU.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      ServerOptions options, Log& log,
      std::unique_ptr<Backend> backend = nullptr);

  // Stop(absl::ZeroDuration()).
  ~Server();

  // Where it listens, with the ports that were found for port 0.
  const std::vector<Listener>& listeners() const { return listeners_; }

  // Reports NOT_SERVING, refuses new calls with UNAVAILABLE, lets running
  // calls finish for at most `drain`, cancels what is left, and returns when
  // all is gone.  Does nothing the second time.
  void Stop(absl::Duration drain);

 private:
  Server(const ServerOptions& options, Log& log,
         std::unique_ptr<Backend> backend);

  absl::Status Listen(const ServerOptions& options);
  void SetServing(bool serving);
  void ShutDown(absl::Duration drain);
  void Poll();

  bool stopped_ = false;
  std::vector<Listener> listeners_;
  const std::unique_ptr<Backend> backend_;
  ThreadPool pool_;
  Admission admission_;
  const Dispatcher dispatcher_;
  Executor executor_;
  TensorOpsService tensor_ops_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::thread poller_;
};

}  // namespace scatterd

#endif  // SCATTERD_SERVER_SERVER_H_
