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

void AsyncCaller::Fail(absl::Status status, Done done) {
  {
    absl::MutexLock lock(&mutex_);
    ++num_failing_;
  }
  worker_.RunSoon([this, status = std::move(status), done = std::move(done)] {
    done(status);
    absl::MutexLock lock(&mutex_);
    --num_failing_;
  });
}

void AsyncCaller::Serve() {
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) static_cast<AsyncCall*>(tag)->OnOver();
}

// Callbacks may start further calls, so until there are none.
void AsyncCaller::CancelAll() {
  const auto changed = [this](const std::set<std::shared_ptr<AsyncCall>>& then,
                              int failing_then) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return calls_ != then || num_failing_ != failing_then;
  };
  mutex_.Lock();
  while (!calls_.empty() || num_failing_ > 0) {
    const std::set<std::shared_ptr<AsyncCall>> calls = calls_;
    const int num_failing = num_failing_;
    mutex_.Unlock();
    for (const std::shared_ptr<AsyncCall>& call : calls) call->Cancel();
    mutex_.Lock();
    const auto progress = [&] { return changed(calls, num_failing); };
    mutex_.Await(absl::Condition(&progress));
  }
  mutex_.Unlock();
}

void AsyncCaller::Remove(const std::shared_ptr<AsyncCall>& call) {
  absl::MutexLock lock(&mutex_);
  calls_.erase(call);
}

}  // namespace scatterd
