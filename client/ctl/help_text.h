// What --help says beyond the flags: which formula an operator computes, and
// examples that work as they stand.

#ifndef SCATTERD_CLIENT_CTL_HELP_TEXT_H_
#define SCATTERD_CLIENT_CTL_HELP_TEXT_H_

#include "core/operator_id.h"

namespace scatterd {

struct OperatorHelp {
  const char* command;      // "scatter-nd"
  const char* summary;      // one line, for the list of commands
  const char* description;  // of the command itself
  const char* footer;       // examples
};

const OperatorHelp& HelpFor(OperatorId id);

// Of scatterctl itself.
extern const char* const kMainDescription;
extern const char* const kMainFooter;
extern const char* const kHealthFooter;

extern const char* const kGradientSummary;
extern const char* const kGradientFooter;
extern const char* const kRunFooter;

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_HELP_TEXT_H_
