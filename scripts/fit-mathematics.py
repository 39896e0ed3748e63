#!/usr/bin/env python3
"""Makes src/jit/mathematics/coefficients.hpp: polynomials for the functions that C libraries lack.

Each is a Chebyshev interpolation in high precision, cut where its coefficients fall below 2^-bits of the largest, and turned into powers.
Needs mpmath.    scripts/fit-mathematics.py > src/jit/mathematics/coefficients.hpp
"""
from mpmath import mp, mpf, sqrt, pi, exp, erfc, besselj, bessely, besseli, cos, gamma, log, sin

mp.dps = 60


def fit(f, low, high, bits=60, most=48):
    """Coefficients in t, low order first, of a polynomial near f(x) for x from low to high, t = (2 x - high - low) / (high - low)."""
    n = most
    nodes = [cos(pi * (k + mpf(1) / 2) / n) for k in range(n)]
    values = [f((high + low) / mpf(2) + (high - low) / mpf(2) * t) for t in nodes]
    chebyshev = []
    for j in range(n):
        s = sum(values[k] * cos(pi * j * (k + mpf(1) / 2) / n) for k in range(n))
        chebyshev.append(s * 2 / n)
    chebyshev[0] /= 2
    largest = max(abs(c) for c in chebyshev)
    degree = max(j for j in range(n) if abs(chebyshev[j]) > largest * mpf(2) ** -bits)
    # T_0 = 1, T_1 = t, T_j = 2 t T_(j-1) - T_(j-2)
    a, b = [mpf(1)], [mpf(0), mpf(1)]
    powers = [mpf(0)] * (degree + 1)
    for j in range(degree + 1):
        for i, c in enumerate(a):
            powers[i] += chebyshev[j] * c
        a, b = b, [(2 * b[i - 1] if i > 0 else mpf(0)) - (a[i] if i < len(a) else mpf(0)) for i in range(len(b) + 1)]
    return powers


def shifted(coefficients, low, high):
    """The same polynomial in x instead of t."""
    scale, shift = mpf(2) / (high - low), -mpf(high + low) / (high - low)
    result = [mpf(0)]
    for c in reversed(coefficients):
        longer = [mpf(0)] * (len(result) + 1)
        for i, r in enumerate(result):
            longer[i] += r * shift
            longer[i + 1] += r * scale
        longer[0] += c
        result = longer
    while len(result) > 1 and result[-1] == 0:
        result.pop()
    return result


def emit(name, what, coefficients):
    print(f"// {what}")
    print(f"inline constexpr double {name}[] = {{")
    for c in coefficients:
        print(f"    {float(c).hex()},")
    print("};\n")


def hankel(order, x):
    """P and Q of J = sqrt(2 / (pi x)) (P cos u - Q sin u), Y = sqrt(2 / (pi x)) (P sin u + Q cos u), u = x - order pi / 2 - pi / 4."""
    u = x - order * pi / 2 - pi / 4
    j, y, s = besselj(order, x), bessely(order, x), sqrt(pi * x / 2)
    return s * (j * cos(u) + y * sin(u)), s * (y * cos(u) - j * sin(u))


print("// Made by scripts/fit-mathematics.py. Polynomials, low order first.")
print("#pragma once\n")
print("namespace oxide::mathematics {\n")

emit("exp_coefficients", "exp(x) for |x| <= log(2) / 2, for f32",
     shifted(fit(lambda x: exp(x), -log(2) / 2, log(2) / 2, bits=31), -log(2) / 2, log(2) / 2))
emit("erfcx_coefficients", "(1 + 2x) erfcx(x) for x >= 0, in t = (x - 4) / (x + 4)",
     fit(lambda t: (1 + 2 * (4 * (1 + t) / (1 - t))) * exp((4 * (1 + t) / (1 - t)) ** 2) * erfc(4 * (1 + t) / (1 - t)), -1, 1))
emit("gamma_middle", "gamma(2 + x) for 0 <= x <= 1, in t = 2 x - 1", fit(lambda x: gamma(2 + x), 0, 1))
emit("gamma_stirling", "gamma(x) / (sqrt(2 pi) x^(x - 1/2) exp(-x)) for x >= 8, in t = 1 / x",
     shifted(fit(lambda t: gamma(1 / t) / (sqrt(2 * pi) * exp((1 / t - mpf(1) / 2) * log(1 / t) - 1 / t)), 0, mpf(1) / 8), 0, mpf(1) / 8))
for order in (0, 1):
    name = f"i{order}"
    emit(f"{name}_small", f"I{order}(x)" + (" / x" if order else "") + " for 0 <= x <= 8, in z = x^2",
         shifted(fit(lambda z: besseli(order, sqrt(z)) / (sqrt(z) if order else 1), 0, 64, bits=76), 0, 64))
    emit(f"{name}_large", f"I{order}(x) sqrt(x) exp(-x) for x >= 8, in t = 16 / x - 1",
         fit(lambda t: besseli(order, 16 / (t + 1)) * sqrt(16 / (t + 1)) * exp(-16 / (t + 1)), -1, 1))
for order in (0, 1):
    emit(f"j{order}_small", f"J{order}(x)" + (" / x" if order else "") + " for 0 <= x <= 5, in t = 2 x^2 / 25 - 1",
         fit(lambda z: besselj(order, sqrt(z)) / (sqrt(z) if order else 1), 0, 25))
    if order == 0:
        emit("y0_small", "Y0(x) - (2 / pi) log(x) J0(x) for 0 <= x <= 5, in t = 2 x^2 / 25 - 1",
             fit(lambda z: bessely(0, sqrt(z)) - 2 / pi * log(sqrt(z)) * besselj(0, sqrt(z)), 0, 25))
    else:
        emit("y1_small", "(Y1(x) - (2 / pi) (log(x) J1(x) - 1 / x)) / x for 0 <= x <= 5, in t = 2 x^2 / 25 - 1",
             fit(lambda z: (bessely(1, sqrt(z)) - 2 / pi * (log(sqrt(z)) * besselj(1, sqrt(z)) - 1 / sqrt(z))) / sqrt(z), 0, 25))
    emit(f"p{order}", f"P of J{order} and Y{order} for x >= 5, in t = 50 / x^2 - 1", fit(lambda t: hankel(order, sqrt(50 / (t + 1)))[0], -1, 1))
    emit(f"q{order}", f"x Q of J{order} and Y{order} for x >= 5, in t = 50 / x^2 - 1",
         fit(lambda t: sqrt(50 / (t + 1)) * hankel(order, sqrt(50 / (t + 1)))[1], -1, 1))

print("}  // namespace oxide::mathematics")
