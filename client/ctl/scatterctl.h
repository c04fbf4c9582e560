#ifndef SCATTERD_CLIENT_CTL_SCATTERCTL_H_
#define SCATTERD_CLIENT_CTL_SCATTERCTL_H_

#include <ostream>

namespace scatterd {

// The whole program: the exit status for this command line.  Results go to
// `out`, everything else to `err`.
int RunScatterctl(int argc, const char* const* argv, std::ostream& out,
                  std::ostream& err);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_SCATTERCTL_H_
