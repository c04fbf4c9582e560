#include "client/async_caller.h"

#include <utility>

#include "client/async_call.h"

namespace scatterd {

AsyncCaller::AsyncCaller(ConnectionPool& connections)
    : connections_(connections), thread_([this] { Serve(); }) {}

AsyncCaller::~AsyncCaller() {
  CancelAll();
  queue_.Shutdown();
  thread_.join();
}

void AsyncCaller::Start(PreparedCall call, Done done) {
  auto async_call =
      std::make_shared<AsyncCall>(*this, std::move(call), std::move(done));
  {
    absl::MutexLock lock(&mutex_);
    calls_.insert(async_call);
  }
  async_call->Begin();
}

void AsyncCaller::Serve() {
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) static_cast<AsyncCall*>(tag)->OnOver();
}

// Callbacks may start further calls, so until there are none.
void AsyncCaller::CancelAll() {
  mutex_.Lock();
  while (!calls_.empty()) {
    const std::set<std::shared_ptr<AsyncCall>> calls = calls_;
    mutex_.Unlock();
    for (const std::shared_ptr<AsyncCall>& call : calls) call->Cancel();
    mutex_.Lock();
    const auto gone = [this, &calls]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      for (const auto& call : calls) {
        if (calls_.count(call) != 0) return false;
      }
      return true;
    };
    mutex_.Await(absl::Condition(&gone));
  }
  mutex_.Unlock();
}

void AsyncCaller::Remove(const std::shared_ptr<AsyncCall>& call) {
  absl::MutexLock lock(&mutex_);
  calls_.erase(call);
}

}  // namespace scatterd
