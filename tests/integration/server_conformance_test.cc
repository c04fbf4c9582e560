// The conformance suite through a real server and the C++ client.

#include "tests/backends/conformance.h"
#include "tests/integration/server_under_test.h"

namespace scatterd::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Server, Conformance,
                         ::testing::Values(Runner{"OverGrpc", CallServer}),
                         RunnerName);

}  // namespace
}  // namespace scatterd::test
