"""The kernels that run on the GPU, in Triton and its dialect Gluon; see :mod:`.on_device`."""

# A kernel is a program in a language of its own: it has no types that mypy knows, takes many
# pointers, and is one long run of steps.
# mypy: disable-error-code="no-untyped-def, untyped-decorator, attr-defined"
# ruff: noqa: PLR0915, PLR0917

from __future__ import annotations

from typing import Any

try:
    from triton import jit as triton_jit
    from triton import language as tl
    from triton.experimental.gluon import jit
    from triton.experimental.gluon import language as gl
    from triton.experimental.gluon.language.nvidia.ampere import mma_v2
    from triton.language.extra import libdevice

    MISSING = ""
    """Why Triton cannot be imported; empty if it can."""
except ImportError as reason:  # then nothing below is run
    MISSING = str(reason)

    def jit(kernel: Any) -> Any:
        """Return the kernel as it is."""
        return kernel

    triton_jit = jit


@triton_jit
def place(rates, keys, places, settings, students, last, block: tl.constexpr):
    """Store each rate's bin in ``keys``, and its position in the bin, -1 to 1, in ``places``.

    Bins are equally wide in the angle ``acos((rate - middle) / half)``. ``rates``, ``keys`` and
    ``places`` are pointers. ``settings`` holds the middle of the rates, half their range, and
    bins / pi. ``last`` is the number of the last bin. A program handles ``block`` rates.
    """
    which = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    inside = which < students
    middle, half, scale = tl.load(settings), tl.load(settings + 1), tl.load(settings + 2)
    rate = tl.load(rates + which, mask=inside, other=1.0).to(tl.float64)
    cosine = tl.minimum(tl.maximum((rate - middle) / half, -1.0), 1.0)
    angle = libdevice.acos(cosine) * scale
    bin_of = tl.minimum(angle.to(tl.int32), last)
    tl.store(keys + which, bin_of.to(keys.dtype.element_ty), mask=inside)
    tl.store(places + which, 2.0 * (angle - bin_of.to(tl.float64)) - 1.0, mask=inside)


@jit
def sum_pieces(
    states,
    order,
    places,
    firsts,
    ends,
    scale,
    shift,
    partial,
    farthest,
    stride,
    size: gl.constexpr,
    moments: gl.constexpr,
    power: gl.constexpr,
    places_in_order: gl.constexpr,
):
    """For each piece, store the sums of ``t^k r r'`` for ``moments`` powers ``k``.

    The powers are ``power``, ``power + 1``, ..., at most three. ``r = (e, 1)`` has ``size``
    numbers, at most 32: ``e`` is a student's gap; ``t`` is the place of the rate in its bin.
    ``scale`` and ``shift`` turn a state into ``r``, padded with zeros.

    ``order`` has the row of each student in the order of the bins, and ``stride`` is the distance
    between rows of ``states``. A piece is ``order[first:end]``; an empty one stores nothing.
    ``places_in_order`` states whether ``places`` is sorted like ``order``, or like the rows. The
    sums go to ``partial``. If ``power`` is 0, the greatest squared length of a gap goes to
    ``farthest``, one entry per piece. ``near`` and ``e0`` are the first 16 columns of a student,
    ``far`` and ``e1`` the next 16.
    """
    # One warp. Each thread holds the same part of 16 students as left and as right factor of a
    # product, so a state is loaded once, and nothing goes through shared memory.
    mma: gl.constexpr = gl.NVMMADistributedLayout(
        version=[2, 0], warps_per_cta=[1, 1], instr_shape=[16, 8]
    )
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 1)
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 1)
    piece = gl.program_id(0)
    first = gl.load(firsts + piece)
    end = gl.load(ends + piece)
    if first >= end:
        return
    column = gl.arange(0, 16, layout=gl.SliceLayout(0, right))
    near = gl.minimum(column, size - 2)[None, :]  # columns without a dimension load any number,
    far = gl.minimum(column + 16, size - 2)[None, :]  # which is scaled by zero
    near_scale = gl.load(scale + column)[None, :]
    near_shift = gl.load(shift + column)[None, :]
    far_scale = gl.load(scale + 16 + column)[None, :]
    far_shift = gl.load(shift + 16 + column)[None, :]
    nothing = gl.zeros((16, 16), gl.float64, layout=mma)
    sums0 = (nothing, nothing, nothing)
    sums1 = (nothing, nothing, nothing)
    sums2 = (nothing, nothing, nothing)
    most = gl.zeros([16], gl.float64, layout=gl.SliceLayout(1, right))
    step = gl.arange(0, 16, layout=gl.SliceLayout(1, right))
    # While 16 students are multiplied, the states of the next 16 are being loaded, and the row
    # numbers of the 16 after them.
    at = gl.minimum(first + step, end - 1)
    row = gl.load(order + at)
    t = gl.load(places + (at if places_in_order else row))
    base = (states + row * stride)[:, None]
    x0 = gl.load(base + near)
    x1 = gl.load(base + far)
    row = gl.load(order + gl.minimum(first + 16 + step, end - 1))
    for start in range(first, end - 15, 16):
        e0 = _gaps(x0, near_scale, near_shift, size > 16)
        e1 = _gaps(x1, far_scale, far_shift, False)
        now = t[:, None]
        if places_in_order:
            t = gl.load(places + gl.minimum(start + 16 + step, end - 1))
        else:
            t = gl.load(places + row)
        base = (states + row * stride)[:, None]
        x0 = gl.load(base + near)
        x1 = gl.load(base + far)
        row = gl.load(order + gl.minimum(start + 32 + step, end - 1))
        if power == 0:
            most = gl.maximum(most, _sum_squares(e0, e1, near_scale, far_scale, size > 16))
        sums0, sums1, sums2 = _add_students(sums0, sums1, sums2, e0, e1, now, left, moments, power)
    over = (end - first) % 16
    if over > 0:
        here = (step < over)[:, None]
        e0 = gl.where(here, _gaps(x0, near_scale, near_shift, size > 16), 0.0)
        e1 = gl.where(here, _gaps(x1, far_scale, far_shift, False), 0.0)
        if power == 0:
            most = gl.maximum(most, _sum_squares(e0, e1, near_scale, far_scale, size > 16))
        sums0, sums1, sums2 = _add_students(
            sums0, sums1, sums2, e0, e1, t[:, None], left, moments, power
        )
    if power == 0:
        gl.store(farthest + piece, gl.max(most, axis=0))
    out = partial + piece.to(gl.int64) * (moments * size * size)
    _store_matrix(out, sums0, size)
    if moments > 1:
        _store_matrix(out + size * size, sums1, size)
    if moments > 2:
        _store_matrix(out + 2 * size * size, sums2, size)


@jit
def _gaps(x, scale, shift, plain: gl.constexpr):
    """Return 16 columns of ``r = (e, 1, 0, ...)`` for 16 students, in float64.

    ``plain`` states that all 16 columns are dimensions, so that the scale is 1.
    """
    if plain:
        return x.to(gl.float64) + shift
    return gl.fma(x.to(gl.float64), scale, shift)


@jit
def _sum_squares(e0, e1, near_scale, far_scale, plain: gl.constexpr):
    """Return the squared length of each student's gap; the scales leave the 1 of ``r`` out."""
    squares = e1 * e1 * far_scale
    if plain:
        return gl.sum(e0 * e0 + squares, axis=1)
    return gl.sum(e0 * e0 * near_scale + squares, axis=1)


@jit
def _add_students(
    sums0,
    sums1,
    sums2,
    e0,
    e1,
    t,
    left: gl.constexpr,
    moments: gl.constexpr,
    power: gl.constexpr,
):
    """Add 16 students to the sums of up to three powers of ``t``, from ``power`` on."""
    left0 = gl.convert_layout(e0.trans(1, 0), left, assert_trivial=True)
    left1 = gl.convert_layout(e1.trans(1, 0), left, assert_trivial=True)
    for _ in gl.static_range(power):
        e0 = e0 * t
        e1 = e1 * t
    sums0 = _add_products(sums0, left0, left1, e0, e1)
    if moments > 1:
        e0 = e0 * t
        e1 = e1 * t
        sums1 = _add_products(sums1, left0, left1, e0, e1)
    if moments > 2:
        e0 = e0 * t
        e1 = e1 * t
        sums2 = _add_products(sums2, left0, left1, e0, e1)
    return sums0, sums1, sums2


@jit
def _add_products(sums, left0, left1, right0, right1):
    """Add ``left @ right`` to the three tiles, on and above the diagonal, of a symmetric matrix."""
    corner = mma_v2(left0, right0, sums[0])
    edge = mma_v2(left0, right1, sums[1])
    return corner, edge, mma_v2(left1, right1, sums[2])


@jit
def _store_matrix(out, sums, size: gl.constexpr):
    """Store a symmetric matrix, given the three tiles on and above its diagonal."""
    _store_tile(out, sums[0], size, 0, 0)
    _store_tile(out, sums[1], size, 0, 1)
    _store_tile(out, sums[2], size, 1, 1)


@jit
def _store_tile(out, tile, size: gl.constexpr, down: gl.constexpr, across: gl.constexpr):
    """Store one 16 x 16 tile, and its mirror image if it is off the diagonal."""
    row = 16 * down + gl.arange(0, 16, layout=gl.SliceLayout(1, tile.type.layout))[:, None]
    column = 16 * across + gl.arange(0, 16, layout=gl.SliceLayout(0, tile.type.layout))[None, :]
    inside = (row < size) & (column < size)
    gl.store(out + row * size + column, tile, mask=inside)
    if down != across:
        gl.store(out + column * size + row, tile, mask=inside)


@triton_jit
def add_up(partial, sums, pieces, stride, width, block: tl.constexpr):
    """Add the sums of all pieces of a bin to the bin's sums.

    ``pieces`` has the first piece of each bin, then the number of pieces. ``stride`` is the
    distance between the sums of two bins. ``width`` is how many numbers a sum has, of which a
    program adds ``block``.
    """
    # The order is fixed, so the same students always give the same bits.
    bin_of = tl.program_id(0)
    entry = tl.program_id(1) * block + tl.arange(0, block)
    inside = entry < width
    out = sums + bin_of.to(tl.int64) * stride + entry
    total = tl.load(out, mask=inside, other=0.0)
    for piece in range(tl.load(pieces + bin_of), tl.load(pieces + bin_of + 1)):
        total += tl.load(partial + piece.to(tl.int64) * width + entry, mask=inside, other=0.0)
    tl.store(out, total, mask=inside)
