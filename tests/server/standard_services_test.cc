// The services that every gRPC tool knows: health and reflection.

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/health_probe.h"
#include "tests/server/raw_client.h"
#include "tests/server/watchdog.h"
#include "tests/testing/loopback_server.h"
#include "tests/testing/status_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr char kCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kWatch[] = "/grpc.health.v1.Health/Watch";
constexpr char kReflect[] =
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

// HealthCheckResponse{status}.
const std::string kServing = "\x08\x01";
const std::string kNotServing = "\x08\x02";
const std::string kServiceUnknown = "\x08\x03";

// A message whose only field is the string `number`.
std::string StringField(int number, const std::string& text) {
  std::string message;
  message += static_cast<char>(number << 3 | 2);
  message += static_cast<char>(text.size());
  return message + text;
}

class StandardServicesTest : public ::testing::Test {
 protected:
  LoopbackServer server_;
  std::shared_ptr<grpc::Channel> channel_ = NewChannel(server_.address());
};

TEST_F(StandardServicesTest, CheckAnswersForTheServerAndForTensorOps) {
  EXPECT_THAT(CallRaw(*channel_, kCheck, ""), IsOkAndHolds(kServing));
  EXPECT_THAT(
      CallRaw(*channel_, kCheck, StringField(1, "scatterd.v1.TensorOps")),
      IsOkAndHolds(kServing));
}

TEST_F(StandardServicesTest, CheckOfAnUnknownServiceIsNotFound) {
  EXPECT_THAT(CallRaw(*channel_, kCheck, StringField(1, "no.Such")),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(StandardServicesTest, WatchTellsWhenTheServerStops) {
  StreamCall whole(*channel_, kWatch);
  StreamCall tensor_ops(*channel_, kWatch);
  StreamCall unknown(*channel_, kWatch);
  ASSERT_TRUE(whole.Write("") && whole.WritesDone());
  ASSERT_TRUE(tensor_ops.Write(StringField(1, "scatterd.v1.TensorOps")) &&
              tensor_ops.WritesDone());
  ASSERT_TRUE(unknown.Write(StringField(1, "no.Such")) && unknown.WritesDone());
  EXPECT_THAT(whole.Read(), Optional(kServing));
  EXPECT_THAT(tensor_ops.Read(), Optional(kServing));
  EXPECT_THAT(unknown.Read(), Optional(kServiceUnknown));

  const Watchdog watchdog("Stop with health watchers", absl::Minutes(2));
  std::thread stopper([this] { server_.server().Stop(absl::Hours(1)); });
  EXPECT_THAT(whole.Read(), Optional(kNotServing));
  EXPECT_THAT(tensor_ops.Read(), Optional(kNotServing));
  stopper.join();
}

TEST_F(StandardServicesTest, ProbeSeesAServingServer) {
  EXPECT_THAT(ProbeHealth(server_.address(), kPatience), IsOk());
}

TEST_F(StandardServicesTest, ProbeOfAStoppedServerIsNotOk) {
  server_.server().Stop(absl::ZeroDuration());
  EXPECT_THAT(ProbeHealth(server_.address(), kPatience),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(StandardServicesTest, ReflectionListsTheServices) {
  StreamCall call(*channel_, kReflect);
  ASSERT_TRUE(call.Write(StringField(7, "*")));
  const std::optional<std::string> services = call.Read();
  EXPECT_THAT(services, Optional(HasSubstr("scatterd.v1.TensorOps")));
  EXPECT_THAT(services, Optional(HasSubstr("grpc.health.v1.Health")));
  EXPECT_TRUE(call.WritesDone());
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(StandardServicesTest, ReflectionDescribesTensorOps) {
  StreamCall call(*channel_, kReflect);
  ASSERT_TRUE(call.Write(StringField(4, "scatterd.v1.TensorOps")));
  EXPECT_THAT(call.Read(), Optional(HasSubstr("ScatterElementsRequest")));
  EXPECT_TRUE(call.WritesDone());
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(StandardServicesTest, ManyOpenReflectionStreamsLeaveTheServerUsable) {
  std::vector<std::unique_ptr<StreamCall>> streams;
  for (int i = 0; i < 100; ++i) {
    streams.push_back(std::make_unique<StreamCall>(*channel_, kReflect));
    streams.back()->Write(StringField(7, "*"));
  }
  EXPECT_THAT(CallRaw(*channel_, kCheck, ""), IsOkAndHolds(kServing));
  EXPECT_THAT(Output(*channel_, QueuedCall()), IsOk());
}

}  // namespace
}  // namespace scatterd::test
