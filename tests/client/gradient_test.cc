// Client::Gradient in its three forms, and scatterctl gradient.

#include <future>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "client/ctl/scatterctl.h"
#include "client/ctl/tensor_file.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "scatterd/client.h"
#include "tests/client/stub_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::ScatterNDCall;
using ::scatterd::test::StatusIs;
using ::scatterd::test::StubReply;
using ::scatterd::test::StubRequest;
using ::scatterd::test::StubServer;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;

// Keeps the last call, fails as often as told, and then answers with
// grad_output and the updates.
class GradientServer {
 public:
  explicit GradientServer(int num_failures = 0) : num_failures_(num_failures) {}

  const std::string& address() const { return server_.address(); }

  GradientCall last() const {
    absl::MutexLock lock(&mutex_);
    return last_;
  }
  std::string method() const {
    absl::MutexLock lock(&mutex_);
    return method_;
  }
  int num_requests() const {
    absl::MutexLock lock(&mutex_);
    return num_requests_;
  }

 private:
  StubReply Answer(const StubRequest& request) {
    absl::MutexLock lock(&mutex_);
    method_ = request.method;
    if (num_requests_++ < num_failures_) {
      return absl::UnavailableError("draining");
    }
    const absl::string_view body = request.body;
    absl::StatusOr<GradientCall> call =
        DecodeGradientCall({&body, 1}, ReserveAnything);
    if (!call.ok()) return call.status();
    last_ = *call;
    GradientResult result;
    result.grad_data = std::get<Tensor>(call->grad_output);
    if (IsScatter(call->forward.op)) {
      result.grad_updates = std::get<Tensor>(call->forward.updates);
    }
    result.stats.device = "stub";
    return EncodeGradientResult(result);
  }

  const int num_failures_;
  mutable absl::Mutex mutex_;
  std::string method_ ABSL_GUARDED_BY(mutex_);
  GradientCall last_ ABSL_GUARDED_BY(mutex_);
  int num_requests_ ABSL_GUARDED_BY(mutex_) = 0;
  StubServer server_{
      [this](const StubRequest& request) { return Answer(request); }};
};

GradientCall SmallGradient() {
  GradientCall call;
  call.forward =
      ScatterNDCall(TensorOf<float>({2}, {1, 2}), Indices({1, 1}, {1}),
                    TensorOf<float>({1}, {5}), Reduction::kMul);
  call.grad_output = TensorOf<float>({2}, {3, 4});
  call.scale = 0.5;
  return call;
}

enum class Form { kSync, kAsync, kFuture };

class GradientForms : public ::testing::TestWithParam<Form> {
 protected:
  static absl::StatusOr<GradientResult> Call(Client& client,
                                             const GradientCall& call,
                                             const CallOptions& options = {}) {
    if (GetParam() == Form::kSync) return client.Gradient(call, options);
    if (GetParam() == Form::kFuture) {
      return client.GradientFuture(call, options).get();
    }
    std::promise<absl::StatusOr<GradientResult>> promise;
    client.GradientAsync(call, options,
                         [&promise](absl::StatusOr<GradientResult> result) {
                           promise.set_value(std::move(result));
                         });
    return promise.get_future().get();
  }

  static std::unique_ptr<Client> Connect(const GradientServer& server) {
    ClientOptions options;
    options.retry.initial_backoff = absl::Milliseconds(1);
    return *Client::Create(server.address(), options);
  }
};

TEST_P(GradientForms, SendsTheCallAndReturnsBothGradients) {
  GradientServer server;
  const auto result = Call(*Connect(server), SmallGradient());
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data, EqualsTensor(TensorOf<float>({2}, {3, 4})));
  EXPECT_THAT(*result->grad_updates, EqualsTensor(TensorOf<float>({1}, {5})));
  EXPECT_EQ(result->stats.device, "stub");
  EXPECT_EQ(server.method(), "/scatterd.v1.TensorOps/Gradient");
  EXPECT_EQ(server.last().scale, 0.5);
  EXPECT_EQ(server.last().forward.attributes.reduction, Reduction::kMul);
}

TEST_P(GradientForms, IsRetriedWhateverTheForwardsTargetIs) {
  GradientServer server(2);
  GradientCall call = SmallGradient();
  call.forward.output = ResidentTarget{"t"};
  EXPECT_THAT(Call(*Connect(server), call), IsOk());
  EXPECT_EQ(server.num_requests(), 3);
}

TEST_P(GradientForms, ReportsTheServersStatus) {
  StubServer server([](const StubRequest&) -> StubReply {
    return ConstraintError("gather", 0, "gather.data", "no gradient");
  });
  const auto client = *Client::Create(server.address());
  const auto result = Call(*client, SmallGradient());
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                               std::string("gather: C0: no gradient")));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload), "gather.data");
}

TEST_P(GradientForms, RefusesMetadataThatCannotBeSent) {
  GradientServer server;
  CallOptions options;
  options.metadata = {{"Upper", "v"}};
  EXPECT_THAT(Call(*Connect(server), SmallGradient(), options),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(server.num_requests(), 0);
}

TEST_P(GradientForms, AReplyThatIsNoneIsAnInternalError) {
  StubServer server([](const StubRequest&) -> StubReply {
    return EncodedMessage();  // no grad_data
  });
  const auto client = *Client::Create(server.address());
  EXPECT_THAT(
      Call(*client, SmallGradient()),
      StatusIs(absl::StatusCode::kInternal, HasSubstr("grad_data is missing")));
}

std::string FormName(const ::testing::TestParamInfo<Form>& form) {
  if (form.param == Form::kSync) return "Sync";
  return form.param == Form::kAsync ? "Async" : "Future";
}

INSTANTIATE_TEST_SUITE_P(Client, GradientForms,
                         ::testing::Values(Form::kSync, Form::kAsync,
                                           Form::kFuture),
                         FormName);

// --- scatterctl gradient ----------------------------------------------------

struct Outcome {
  int exit_status;
  std::string out;
  std::string err;
};

Outcome RunProgram(std::vector<std::string> arguments) {
  std::vector<const char*> argv = {"scatterctl"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ostringstream out, err;
  const int exit_status =
      RunScatterctl(static_cast<int>(argv.size()), argv.data(), out, err);
  return {exit_status, out.str(), err.str()};
}

Outcome RunWith(const GradientServer& server,
                std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--address", server.address()});
  return RunProgram(std::move(arguments));
}

const std::vector<std::string> kScatter = {
    "gradient",    "scatter-nd", "--data",        "[1.0,2.0]",
    "--indices",   "[[1]]",      "--updates",     "[5]",
    "--reduction", "mul",        "--grad-output", "[3,4]"};

std::vector<std::string> Plus(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(ScatterctlGradient, PrintsBothGradientsOfAScatter) {
  GradientServer server;
  const Outcome outcome = RunWith(server, kScatter);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "grad_data:\n[3.0, 4.0]\ngrad_updates:\n[5.0]\n");
  EXPECT_FALSE(server.last().scale.has_value());
}

TEST(ScatterctlGradient, PrintsTheGradientOfAGather) {
  GradientServer server;
  const Outcome outcome =
      RunWith(server, {"gradient", "gather", "--data", "[1.0,2.0]", "--indices",
                       "[1]", "--grad-output", "[3]"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "[3.0]\n");
}

TEST(ScatterctlGradient, SendsScaleAndTheOperatorsOptions) {
  GradientServer server;
  ASSERT_EQ(RunWith(server, Plus(kScatter, {"--scale", "0", "--dialect", "jax",
                                            "--exclude-self"}))
                .exit_status,
            0);
  const GradientCall call = server.last();
  EXPECT_EQ(call.scale, 0);
  EXPECT_EQ(call.forward.options.dialect, Dialect::kJax);
  EXPECT_TRUE(call.forward.attributes.exclude_self);
  EXPECT_THAT(std::get<Tensor>(call.grad_output),
              EqualsTensor(TensorOf<float>({2}, {3, 4})));
}

TEST(ScatterctlGradient, WritesEachGradientToItsFile) {
  GradientServer server;
  const std::string folder = test::MakeTemporaryFolder();
  const std::string data = absl::StrCat(folder, "/d.npy");
  const std::string updates = absl::StrCat(folder, "/u.npy");
  const Outcome outcome = RunWith(
      server, Plus(kScatter, {"-o", data, "--output-updates", updates}));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(ReadTensor(data, std::nullopt),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({2}, {3, 4}))));
  EXPECT_THAT(ReadTensor(updates, std::nullopt),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {5}))));
  const Outcome one = RunWith(server, Plus(kScatter, {"-o", data}));
  EXPECT_EQ(one.out, "grad_updates:\n[5.0]\n");
  test::RemoveFolder(folder);
}

TEST(ScatterctlGradient, UsageErrorsNameTheFlag) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = RunProgram(arguments);
    EXPECT_EQ(outcome.exit_status, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(refused({"gradient"}), HasSubstr("scatterctl: "));
  EXPECT_THAT(
      refused({"gradient", "gather", "--data", "[1.0]", "--indices", "[0]"}),
      HasSubstr("--grad-output"));
  EXPECT_THAT(refused(Plus(kScatter, {"--scale", "much"})),
              HasSubstr("--scale"));
  EXPECT_THAT(refused(Plus(kScatter, {"--output-updates", "u.txt"})),
              HasSubstr("--output-updates"));
  EXPECT_THAT(refused({"gradient", "gather", "--data", "[1.0]", "--indices",
                       "[0]", "--grad-output", "[x]"}),
              HasSubstr("--grad-output: "));
}

}  // namespace
}  // namespace scatterd
