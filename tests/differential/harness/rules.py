"""The differences that are known, each with its reason and its source.

A rule explains either an outcome (one side refuses, or the shapes differ) or
single components of a result.  Nothing is tolerated without a rule, and every
use is counted and reported.
"""

import dataclasses
from typing import Callable, Optional, Tuple

from harness import explain
from harness import explain_jax
from harness import explain_mindspore
from harness import explain_torch


@dataclasses.dataclass(frozen=True)
class Rule:
    """A known difference.

    who_is_right is "scatterd" (the framework's behaviour is a defect, or left
    open by its own text) or "both" (two answers, both allowed).
    """

    name: str
    frameworks: Optional[Tuple[str, ...]]  # None: all
    who_is_right: str
    reason: str
    source: str
    outcome: Optional[Callable] = None
    values: Optional[Callable] = None


RULES = (
    Rule(
        "nan-payload", None, "both",
        "A NaN that arithmetic makes is the type's canonical quiet NaN, so "
        "that every device gives the same bits; frameworks give the payload "
        "and sign that the processor gave.",
        "core/arithmetic.h", values=explain.nan_payload),
    Rule(
        "zero-order", None, "both",
        "max(-0, +0) is +0 and min(-0, +0) is -0 (IEEE 754-2019 maximum and "
        "minimum); frameworks keep either operand.",
        "docs/operators.md", values=explain.zero_order),
    Rule(
        "scalar-data", None, "both",
        "Data has at least one axis, as ONNX asks; some functions take a "
        "scalar.",
        "docs/operators.md, C1 of every operator", outcome=explain.scalar_data),
    Rule(
        "unchecked-empty-result",
        ("numpy", "tensorflow", "onnx", "onnxruntime", "torch", "jax"),
        "scatterd",
        "An index is checked even where the slice that it selects is empty; "
        "these return the empty result without a look at the indices.",
        "docs/operators.md", outcome=explain.unchecked_empty),
    Rule(
        "leading-ones", ("numpy", "torch"), "both",
        "An assignment drops leading axes of extent 1 of the updates; the "
        "dialect broadcasts, which adds axes and drops none.",
        "docs/operators.md", outcome=explain.leading_ones),
    Rule(
        "empty-assignment", ("numpy",), "both",
        "An assignment that writes no element does not compare shapes.",
        "docs/operators.md", outcome=explain.empty_assignment),
    Rule(
        "empty-index", ("torch", "onnx"), "both",
        "An index without elements is taken for a call that does nothing, "
        "whatever its rank and the other operands' shapes.",
        "torch.scatter, torch.gather; onnx.reference.ops.op_gather_elements",
        outcome=explain.empty_index),
    Rule(
        "torch-index-reduce-shape", ("torch",), "both",
        "index_add and index_reduce want the exact shape of source; the "
        "dialect's scatter_nd follows index_put, which broadcasts.",
        "torch.index_put", outcome=explain_torch.index_reduce_shape),
    Rule(
        "complex-product", ("onnx", "torch", "jax"), "both",
        "Complex multiplication and division may be fused, may rescue "
        "infinities (C's Annex G) or scale differently; here the parts are "
        "computed from rounded products and Smith's quotient. Numbers whose "
        "products cannot overflow or underflow must agree to within rounding.",
        "core/arithmetic.h", values=explain.complex_product),
    Rule(
        "reference-empty-batch", ("onnx",), "scatterd",
        "The reference of GatherND cannot reshape an empty batch; the empty "
        "result is right.",
        "onnx.reference.ops.op_gathernd",
        outcome=explain.reference_empty_batch),
    Rule(
        "tf-gather-nd-batch", ("tensorflow",), "scatterd",
        "With tuples of no components, tf.gather_nd does not compare the "
        "batch dimensions of its operands.",
        "tf.gather_nd, batch_dims", outcome=explain.tf_batch),
    Rule(
        "tf-no-tuples", ("tensorflow",), "both",
        "Where there are no tuples, their depth and rank are not checked.",
        "tf.tensor_scatter_nd_update", outcome=explain.tf_no_tuples),
    Rule(
        "torch-complex-mean", ("torch",), "both",
        "PyTorch divides by a complex count, which rounds differently; here "
        "both parts are divided by the count.",
        "core/arithmetic.h, MeanOf", values=explain_torch.complex_mean),
    Rule(
        "ort-gather-nd-empty-tuple", ("onnxruntime",), "both",
        "onnxruntime takes tuples of no components; ONNX asks for at least "
        "one in GatherND.",
        "ONNX GatherND, constraint 3", outcome=explain.ort_empty_tuple),
    Rule(
        "gather-nd-batch", ("onnx", "onnxruntime"), "scatterd",
        "Neither compares the batch dimensions of GatherND's operands where "
        "their sizes fit or nothing is gathered, nor asks whether batch_dims "
        "is less than both ranks and not negative; ONNX asks for all that.",
        "ONNX GatherND, constraints 4 and 5",
        outcome=explain.unchecked_batch),
    Rule(
        "ort-string-gather", ("onnxruntime",), "scatterd",
        "Gather of STRING copies the first element of each slice only and "
        "leaves the others empty.",
        "a defect of the version", values=explain.ort_string_gather),
    Rule(
        "reference-gather-elements-wraps", ("onnx",), "scatterd",
        "The reference calls numpy.choose with mode='wrap', so that an index "
        "out of bounds wraps; ONNX makes it an error.",
        "onnx.reference.ops.op_gather_elements",
        outcome=explain.reference_wraps),
    Rule(
        "reference-gather-elements-extents", ("onnx",), "scatterd",
        "The reference asks for equal extents off the axis, and with axis -1 "
        "compares the wrong ones; ONNX asks for Q[d] <= D[d].",
        "onnx.reference.ops.op_gather_elements; onnx#8444",
        outcome=explain.reference_extents),
    Rule(
        "reference-updates-shape", ("onnx",), "scatterd",
        "The reference never compares the shape of updates: it broadcasts "
        "smaller ones and reads the corner of larger ones.",
        "ONNX ScatterElements and ScatterND, updates",
        outcome=explain.reference_updates),
    Rule(
        "reference-unchecked", ("onnx",), "scatterd",
        "The reference of ScatterElements compares neither the ranks of its "
        "operands nor the axis with the rank; ONNX asks for the same rank and "
        "an axis in [-r, r-1].",
        "ONNX ScatterElements", outcome=explain.reference_unchecked),
    Rule(
        "numpy-broadcast-at", ("numpy",), "scatterd",
        "ufunc.at reads beyond updates that it has to broadcast; with the "
        "same updates broadcast before, it agrees.",
        "a defect of the version", values=explain.numpy_broadcast),
    Rule(
        "lost-nan", ("onnx", "onnxruntime", "tensorflow", "mindspore"), "both",
        "ONNX is silent about NaN in max and min. The reference of "
        "ScatterElements keeps x unless y > x, onnxruntime takes (a > b) ? a "
        ": b, so that one operand's NaN is lost; here NaN propagates, as in "
        "every other framework and in the reference of ScatterND.",
        "docs/operators.md, options.nan", values=explain.lost_nan),
    Rule(
        "tf-default-axis", ("tensorflow",), "scatterd",
        "With a negative batch_dims, tf.gather takes batch_dims before it is "
        "normalised for the default axis; its documentation says the first "
        "axis after the batch.",
        "tf.gather, axis", outcome=explain.default_axis,
        values=explain.default_axis_values),
    Rule(
        "tf-empty-operand", ("tensorflow",), "both",
        "gather_nd and the scatters refuse an operand without elements when "
        "there are indices, even if the slices are empty.",
        "TensorFlow's messages; tensorflow#50246", outcome=explain.tf_empty),
    Rule(
        "flushed-subnormals", ("tensorflow", "jax", "mindspore"), "both",
        "These kernels run with subnormal numbers flushed to zero; "
        "here arithmetic follows IEEE 754.",
        "core/arithmetic.h", values=explain.flushed),
    Rule(
        "flushed-products", ("jax",), "both",
        "XLA computes with subnormal numbers flushed to zero; here arithmetic "
        "follows IEEE 754.",
        "core/arithmetic.h", values=explain_jax.flushed_product),
    Rule(
        "torch-scalar-index", ("torch",), "both",
        "torch.gather and torch.scatter take an index of rank 0 for one of "
        "rank 1.",
        "torch.gather, torch.scatter", outcome=explain_torch.scalar_index),
    Rule(
        "torch-half-mean", ("torch",), "both",
        "PyTorch sums halves in FLOAT, rounds the sum to a half and divides "
        "that; under accumulation WIDE only the quotient is rounded here.",
        "docs/operators.md, options.accumulation",
        values=explain_torch.half_mean),
    Rule(
        "torch-complex-alpha", ("torch",), "scatterd",
        "index_add multiplies its source by alpha, which for complex numbers "
        "makes NaN of infinities even where alpha is 1.",
        "torch.index_add", values=explain_torch.complex_alpha),
    Rule(
        "torch-assertion", ("torch",), "scatterd",
        "An assertion of PyTorch's own fails; its message asks to report the "
        "bug.", "a defect of the version", outcome=explain_torch.assertion),
    Rule(
        "half-nan", ("torch", "mindspore", "jax"), "both",
        "Moving a half (through FLOAT) changes the payload of a NaN; here "
        "what is moved or not touched keeps its bits.",
        "docs/operators.md", values=explain_torch.half_nan),
    Rule(
        "mindspore-scalar-index", ("mindspore",), "both",
        "A scalar is taken for a tuple of one component.",
        "ops.gather_nd", outcome=explain_mindspore.scalar),
    Rule(
        "mindspore-lost-updates", ("mindspore",), "scatterd",
        "At an index out of bounds tensor_scatter_elements leaves the loop "
        "of its thread, so that valid updates after it are lost too; its "
        "documentation drops that update only.",
        "ops.tensor_scatter_elements", values=explain_mindspore.lost),
    Rule(
        "mindspore-duplicates", ("mindspore",), "both",
        "Threads share the updates of one element without a lock, so that any "
        "of several stays, sums are in any order and may lack some; the "
        "documentation calls the order undefined. Here they are applied in "
        "order.",
        "ops.tensor_scatter_elements", values=explain_mindspore.order),
    Rule(
        "mindspore-narrow-indices", ("mindspore",), "scatterd",
        "tensor_scatter_elements cuts 64-bit indices to 32 bits, so that "
        "2**32 is 0.",
        "docs/operators.md: indices are checked in 64 bits",
        values=explain_mindspore.narrows),
    Rule(
        "wide-sums", ("mindspore", "torch"), "both",
        "ops.scatter_nd, and index_add on some shapes, sum halves in FLOAT; "
        "the dialects' scatter_nd follows tensor_scatter_add and index_put, "
        "which round after every update.",
        "docs/operators.md, options.accumulation",
        values=explain.wide_sums),
    Rule(
        "jax-empty-axis", ("jax",), "both",
        "x.at[i] and jnp.take refuse to index an axis of size 0, where the "
        "dialect drops the update or gives the fill value; take_along_axis "
        "gives zeros instead of its fill value.",
        "jnp.ndarray.at, jnp.take, jnp.take_along_axis",
        outcome=explain_jax.empty_axis, values=explain_jax.empty_axis_values),
    Rule(
        "jax-empty-take", ("jax",), "scatterd",
        "jnp.take along an axis of size 0 with indices without elements gives "
        "the shape of indices alone, where NumPy's take, and its own for "
        "other axes, have data's other axes too.",
        "numpy.take", outcome=explain_jax.empty_take),
    Rule(
        "jax-complex-select", ("jax",), "both",
        "XLA compares complex numbers without regard for NaN, so that one "
        "operand's NaN is lost, and subnormal ones as zeros; here NaN "
        "propagates, as in NumPy.",
        "docs/operators.md", values=explain_jax.complex_select),
    Rule(
        "jax-narrow-indices", ("jax",), "scatterd",
        "JAX cuts 64-bit indices to 32 bits for small axes before it looks "
        "at them, so that 2**32 is 0.",
        "docs/operators.md: indices are checked in 64 bits",
        values=explain_jax.narrows),
    Rule(
        "jax-float8-nan", ("jax",), "both",
        "XLA computes selections of 8-bit floats in a wider type, which "
        "changes the payload of a NaN; here a move keeps the bits.",
        "docs/operators.md", values=explain_jax.float8_nan),
    Rule(
        "jax-divide", ("jax",), "both",
        "x.at[i].divide divides all of data once, by the product of the "
        "updates or by 1; here the updates divide one after another.",
        "docs/operators.md, reduction DIV", values=explain_jax.divide),
)


def rules_for(framework):
    """The rules that may explain this framework's differences."""
    return tuple(rule for rule in RULES
                 if rule.frameworks is None or framework in rule.frameworks)
