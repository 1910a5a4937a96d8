"""Student's t, since the normal approximation calls too much certain where a few dozen documents are compared."""

from math import erfc, exp, lgamma, log, log1p, pi, sqrt

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""
OUTSIDE = 0.05
"""What lies outside a 95 % interval."""
CLOSE = 1e-12
# From here on the normal distribution agrees to six digits.
MANY = 1e6


def tails(t: float, freedom: float) -> float:
    """How likely t lies at least so far from 0, on either side."""
    if freedom > MANY:
        return erfc(abs(t) / sqrt(2))
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def quantile(freedom: float) -> float:
    """What t exceeds, on either side, in 5 % of cases: Newton's method, from the normal quantile upwards."""
    if freedom > MANY:
        return Z95
    peak = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    found, step = Z95, 1.0
    while abs(step) > 1e-9 * found:
        density = peak * (1 + found * found / freedom) ** (-(freedom + 1) / 2)
        step = (tails(found, freedom) - OUTSIDE) / (2 * density)
        found += step
    return found


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction."""
    if not 0 < x < 1:
        return 1.0 if x >= 1 else 0.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front / _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """1 + d1/(1 + d2/(1 + ...)), evaluated forwards (Lentz)."""
    found = upper = 1.0
    lower, step, factor = 0.0, 0, 0.0
    while abs(factor - 1) > CLOSE:
        step += 1
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        lower = 1 / (1 + term * lower)
        upper = 1 + term / upper
        factor = upper * lower
        found *= factor
    return found
