#ifndef SCATTERD_CLIENT_SYNC_CALL_H_
#define SCATTERD_CLIENT_SYNC_CALL_H_

#include "absl/status/statusor.h"
#include "client/connection_pool.h"
#include "client/prepared_call.h"
#include "grpcpp/support/byte_buffer.h"

namespace scatterd {

// Makes `call` on the calling thread, which does the polling itself: no other
// thread is woken.  When this returns, nothing refers to the message any more
// except `call`.
absl::StatusOr<grpc::ByteBuffer> RunSyncCall(ConnectionPool& connections,
                                             PreparedCall call);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_SYNC_CALL_H_
