// What the client's tests share beside the stub server.

#ifndef SCATTERD_TESTS_CLIENT_CLIENT_FIXTURES_H_
#define SCATTERD_TESTS_CLIENT_CLIENT_FIXTURES_H_

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/notification.h"
#include "scatterd/client.h"
#include "tests/client/stub_server.h"

namespace scatterd::test {

inline std::unique_ptr<Client> ConnectTo(const std::string& address,
                                         const ClientOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<Client>> client =
      Client::Create(address, options);
  if (!client.ok()) {
    std::cerr << client.status() << "\n";
    std::abort();
  }
  return *std::move(client);
}

inline std::unique_ptr<Client> Connect(const StubServer& server,
                                       const ClientOptions& options = {}) {
  return ConnectTo(server.address(), options);
}

// CallAsync, and the result that its callback gets.
inline absl::StatusOr<OperatorResult> CallAndWait(Client& client,
                                                  OperatorCall call,
                                                  CallOptions options = {}) {
  absl::Notification done;
  absl::StatusOr<OperatorResult> result = absl::UnknownError("no callback yet");
  client.CallAsync(std::move(call), std::move(options),
                   [&](absl::StatusOr<OperatorResult> r) {
                     result = std::move(r);
                     done.Notify();
                   });
  done.WaitForNotification();
  return result;
}

// Both ways to make a call, for tests that hold for either.
enum class Form { kSync, kAsync };

inline absl::StatusOr<OperatorResult> CallAs(Form form, Client& client,
                                             const OperatorCall& call,
                                             const CallOptions& options = {}) {
  if (form == Form::kSync) return client.Call(call, options);
  return CallAndWait(client, call, options);
}

inline std::string FormName(Form form) {
  return form == Form::kSync ? "Sync" : "Async";
}

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_CLIENT_CLIENT_FIXTURES_H_
