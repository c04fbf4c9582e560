#include "client/ctl/help_text.h"

namespace scatterd {
namespace {

constexpr OperatorHelp kGather = {
    "gather", "Slices of data along one axis",
    R"(Takes slices of data along --axis, one for each index.

  output[.., i, ..] = data[.., indices[i], ..]
  shape: data[:axis] + indices[batch_dims:] + data[axis+1:])",
    R"(Examples:
  scatterctl gather --data '[[1,2],[3,4],[5,6]]' --indices '[0,2]'
      prints [[1, 2],
              [5, 6]]
  scatterctl gather --data x.npy --indices i.npy --axis 1 -o y.npy
  scatterctl gather --data '[10,20]' --indices '[0,7]' \
      --out-of-bounds skip --fill-value -1
      prints [10, -1])"};

constexpr OperatorHelp kGatherElements = {
    "gather-elements", "Single elements of data along one axis",
    R"(Takes one element of data for each index; the other coordinates are the
index's own.

  output[i][j] = data[indices[i][j]][j]    (axis 0, rank 2)
  shape: that of indices)",
    R"(Example:
  scatterctl gather-elements --data '[[1,2],[3,4]]' \
      --indices '[[0,0],[1,0]]' --axis 1
      prints [[1, 1],
              [4, 3]])"};

constexpr OperatorHelp kGatherND = {
    "gather-nd", "Elements or slices of data by index tuples",
    R"(Takes what each index tuple, a row of indices' last axis, addresses:
an element, or a slice if the tuple is shorter than data's rank.

  output[i] = data[indices[i][0], indices[i][1], ..]
  shape: indices[:-1] + data[batch_dims+k:], k = the length of a tuple)",
    R"(Examples:
  scatterctl gather-nd --data '[["a","b"],["c","d"]]' \
      --indices '[[0,0],[1,1]]'
      prints ["a", "d"]
  scatterctl gather-nd --data x.pb --indices i.pb --batch-dims 1 -o y.pb)"};

constexpr OperatorHelp kScatterElements = {
    "scatter-elements", "Writes single elements along one axis",
    R"(Copies data and writes one element for each index; the other coordinates
are the index's own.

  output[indices[i][j]][j] = updates[i][j]    (axis 0, rank 2)
  shape: that of data)",
    R"(Example:
  scatterctl scatter-elements --data '[[1.0,2.0,3.0,4.0,5.0]]' \
      --indices '[[1,3]]' --updates '[[1.1,2.1]]' --axis 1
      prints [[1.0, 1.1, 3.0, 2.1, 5.0]])"};

constexpr OperatorHelp kScatterND = {
    "scatter-nd", "Writes elements or slices by index tuples",
    R"(Copies data and writes, or reduces, what each index tuple addresses: an
element, or a slice if the tuple is shorter than data's rank.

  output[indices[i][0], indices[i][1], ..] = updates[i]
  shape: that of data)",
    R"(Examples:
  scatterctl scatter-nd --data '[1,2,3,4,5,6,7,8]' \
      --indices '[[4],[3],[1],[7]]' --updates '[9,10,11,12]'
      prints [1, 11, 3, 10, 9, 6, 7, 12]
  scatterctl scatter-nd --zeros 'float32[4]' --indices '[[1],[1]]' \
      --updates '[0.5,2]' --reduction add
      prints [0.0, 2.5, 0.0, 0.0]
  scatterctl scatter-nd --data data.npy --indices i.npy --updates u.npy \
      --reduction max -o out.npy)"};

}  // namespace

const OperatorHelp& HelpFor(OperatorId id) {
  switch (id) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  case OperatorId::id:                               \
    return id;
#include "core/ops/ops.inc"
  }
  return kGather;
}

const char* const kMainDescription =
    R"(Scatters and gathers tensors on a scatterd server.)";

const char* const kMainFooter =
    R"(TENSOR is one of
  FILE.npy            NumPy's format
  FILE.pb             a serialized onnx.TensorProto
  '[[1,2],[3,4]]'     a literal: nested lists of numbers, complex numbers
                      (1+2j), true and false, or "strings"; nan and inf are
                      numbers.  Begins with a minus?  Say --data=-1.5
Integers are int64, decimals float32, complex numbers complex64, unless --dtype
says otherwise.

Example:
  scatterctl scatter-nd --data '[1,2,3,4,5,6,7,8]' \
      --indices '[[4],[3],[1],[7]]' --updates '[9,10,11,12]'
  scatterctl COMMAND --help says more.

Exit status: 0 done, 1 the server said no (code and message are printed), 2 the
command line or a file is at fault.)";

const char* const kGradientSummary = "Gradients of an operator";

const char* const kGradientFooter =
    R"(Given the gradient of an operator's result, prints that of data, and for
scatters that of updates.  The other flags are those of scatterctl OPERATOR.

Examples:
  scatterctl gradient gather --data '[1.0,2.0,3.0]' --indices '[2,0,2]' \
      --grad-output '[1,10,100]'
      prints [10.0, 0.0, 101.0]
  scatterctl gradient scatter-nd --data '[2.0,3.0]' --indices '[[0],[0]]' \
      --updates '[5,7]' --reduction mul --grad-output '[1,1]'
      prints grad_data:
             [35.0, 1.0]
             grad_updates:
             [14.0, 10.0]
  scatterctl gradient scatter-elements --data x.npy --indices i.npy \
      --updates u.npy --grad-output g.npy --scale 0.5 \
      -o grad_data.npy --output-updates grad_updates.npy)";

const char* const kRunFooter =
    R"(Runs an ONNX model whose nodes are Gather, GatherElements, GatherND,
Scatter, ScatterElements, ScatterND, TensorScatter, Identity and Constant, in
one call: what is between the nodes never leaves the server.

Each input of the model that has no initializer is fed.  A literal is read as
the dtype that the model declares for the input.  --fetch may name any edge of
the graph, not only its outputs.

Examples:
  scatterctl run model.onnx --feed x=x.npy --feed 'idx=[[1]]' -o y.npy
  scatterctl run cache.onnx --zeros past=float16[1,8,4096,64] \
      --feed new=new.npy --fetch present -o present=cache.npy
  scatterctl run model.onnx --feed x='[1,2,3]' --fetch picked --fetch y
      prints picked:
             [3, 1]
             y:
             [0, 3, 1]

scatterctl --help says what TENSOR may be.)";

const char* const kHealthFooter =
    R"(Exit status: 0 if the answer is SERVING, else 1.

Examples:
  scatterctl health
  scatterctl --address unix:/run/scatterd.sock health --timeout 1s
  scatterctl health --service scatterd.v1.TensorOps)";

}  // namespace scatterd
