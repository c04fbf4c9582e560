#include "tests/integration/server_under_test.h"

#include <memory>

#include "client/scatterd/client.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "gtest/gtest.h"
#include "tests/integration/server_process.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

class SharedServer : public ::testing::Environment {
 public:
  void TearDown() override {
    client_.reset();
    stub_.reset();
    if (!process_) return;
    EXPECT_EQ(process_->Stop(), 0) << "exit status of scatterd";
    process_.reset();
  }

  Client& client() {
    if (!client_) {
      auto client = Client::Create(address());
      if (!client.ok()) std::abort();
      client_ = *std::move(client);
    }
    return *client_;
  }

  v1::TensorOps::Stub& stub() {
    if (!stub_) {
      grpc::ChannelArguments arguments;
      arguments.SetMaxReceiveMessageSize(-1);
      stub_ = v1::TensorOps::NewStub(grpc::CreateCustomChannel(
          address(), grpc::InsecureChannelCredentials(), arguments));
    }
    return *stub_;
  }

  const std::string& address() {
    // More threads than CPUs, so that work is shared on any machine.
    if (!process_) {
      process_ = std::make_unique<ServerProcess>(
          std::vector<std::string>{"--threads", "3"});
    }
    return process_->address();
  }

 private:
  std::unique_ptr<ServerProcess> process_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<v1::TensorOps::Stub> stub_;
};

// GoogleTest owns it.
SharedServer& shared_server = *static_cast<SharedServer*>(
    ::testing::AddGlobalTestEnvironment(new SharedServer));

}  // namespace

absl::StatusOr<OperatorResult> CallServer(const OperatorCall& call) {
  return shared_server.client().Call(call);
}

absl::StatusOr<GradientResult> CallServerGradient(const GradientCall& call) {
  return shared_server.client().Gradient(call);
}

absl::StatusOr<GraphResult> RunOnServer(const GraphCall& call) {
  return shared_server.client().Run(call);
}

const std::string& ServerAddress() { return shared_server.address(); }

v1::TensorOps::Stub& ServerStub() { return shared_server.stub(); }

void ExpectOutput(const OperatorCall& call, const Tensor& expected) {
  EXPECT_THAT(ReferenceCall(call), IsOkAndHolds(EqualsTensor(expected)));
  const absl::StatusOr<OperatorResult> result = CallServer(call);
  ASSERT_THAT(result, IsOk());
  ASSERT_TRUE(result->output.has_value());
  EXPECT_THAT(*result->output, EqualsTensor(expected));
}

void ExpectRefused(const OperatorCall& call, absl::StatusCode code,
                   const std::string& what) {
  EXPECT_THAT(ReferenceCall(call), StatusIs(code));
  EXPECT_THAT(CallServer(call), StatusIs(code, ::testing::HasSubstr(what)));
}

}  // namespace scatterd::test
