"""Scores of many cuts at once, in 32 bits: good enough to tell which cuts cannot be the best.

x·lg x is computed from the bits of x: a 32-bit number is 2^e·(1 + f), its bits are those of e + 127 and then of f, and
lg(1 + f) is nearly a polynomial. Loops of this kind are done for eight numbers or more at a time.
"""

import numpy as np

from treewright.kernels.jit import borrowing

STEP = 16  # cuts
_FRACTION = np.int32(0x7FFFFF)
_UNIT = np.float32(2.0**-23)
_BIAS = np.float32(127.0)
_ONE = np.float32(1.0)
# lg(1 + f) = f + f·(1 − f)·q(f) to within 3e-6: q found by least squares, weighted until all errors were alike
_Q0, _Q1, _Q2 = np.float32(0.4425449), np.float32(-0.2756003), np.float32(0.1819489)
_Q3, _Q4 = np.float32(-0.09595641), np.float32(0.02584142)


@borrowing
def at_most_off(total, n_classes):
    """How far a rough score may be off: the polynomial, and the rounding of sums, products and every addition.

    The score of cases that weigh ``total`` is made of terms that are at most total·lg total.
    """
    return total * (2e-5 + 1e-7 * (4.0 * n_classes + 6.0) * (2.0 + max(np.log2(total), 0.0)))


@borrowing
def _add_x_lg_x(numbers, bits, n_steps, sign, out):
    """Add sign·x·lg x."""
    for step in range(n_steps):
        for i in range(step * STEP, (step + 1) * STEP):
            exponent = np.float32(np.int32(bits[i] >> 23)) - _BIAS
            f = np.float32(np.int32(bits[i] & _FRACTION)) * _UNIT
            q = _Q0 + f * (_Q1 + f * (_Q2 + f * (_Q3 + f * _Q4)))
            out[i] += sign * numbers[i] * (exponent + f + f * (_ONE - f) * q)


@borrowing
def rough_scores(sums, bits, n, scratch, scratch_bits, out):
    """H below + H above the first ``n`` cuts; ``sums`` has the class weights below, then those above.

    ``bits`` and ``scratch_bits`` are the same memory as whole numbers. All work is done in steps of STEP cuts, so what
    follows the ``n`` scores in ``out`` is lost.
    """
    n_classes, n_steps = sums.shape[0] // 2, (n + STEP - 1) // STEP
    out[: n_steps * STEP] = np.float32(0.0)
    for side in range(2):
        total = scratch[side]
        total[: n_steps * STEP] = np.float32(0.0)
        for c in range(side * n_classes, (side + 1) * n_classes):
            for step in range(n_steps):
                for i in range(step * STEP, (step + 1) * STEP):
                    total[i] += sums[c, i]
            _add_x_lg_x(sums[c], bits[c], n_steps, -_ONE, out)
        _add_x_lg_x(total, scratch_bits[side], n_steps, _ONE, out)


@rough_scores.in_numpy
def rough_scores_in_numpy(sums, bits, n, scratch, scratch_bits, out):
    n_classes = sums.shape[0] // 2
    amounts = np.maximum(sums[:, :n].astype(np.float64), 0.0)
    totals = np.stack([amounts[:n_classes].sum(0), amounts[n_classes:].sum(0)])
    out[:n] = _x_lg_x(totals).sum(0) - _x_lg_x(amounts).sum(0)


def _x_lg_x(amounts):
    return amounts * np.log2(np.where(amounts > 0, amounts, 1.0))
