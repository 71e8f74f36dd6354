# SPDX-License-Identifier: Apache-2.0
"""Feed-forward for arms whose motors take torques."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _core
from .model import Model


class FeedForward(_core.FeedForward):
    """Gravity, Coriolis, inertia, friction and payload compensated; external torques observed.

    ::

        feed = appell.FeedForward(arm, friction={"elbow": (0.05, 0.3)})
        while True:                                  # once in a period
            tau = feed.torque(q, v)                  # the arm floats
            ...                                      # send tau, wait, read q and v
            external = feed.observe(q, v, tau)       # what pushed it since, N m

    Payload and gravity are the model's when it is made; set_payload() changes them here. After a push
    begins, observe() has shown 63 % of it when 1 / bandwidth seconds have passed.
    """

    def __new__(cls, model: Model, friction: bool | Mapping[str, tuple[float, float]] = True, *,
                period: float = 1e-3, smooth: float = 0.02, bandwidth: float = 50.0) -> FeedForward:
        """friction: True takes the model's, False none, a mapping these: (viscous, Coulomb) by joint

        period: s between two calls of observe()
        smooth: rad/s or m/s over which Coulomb friction changes its sign
        bandwidth: of the observer, 1/s
        """
        if not isinstance(model, Model):
            raise TypeError(f"model must be an appell.Model, not {type(model).__name__}")
        self: Any = super().__new__(cls, model, friction is True, period, smooth, bandwidth)
        if isinstance(friction, Mapping):
            for name, both in friction.items():
                try:
                    viscous, coulomb = both
                except TypeError:
                    raise TypeError(f"friction of {name!r} must be a pair (viscous, Coulomb), not "
                                    f"{both!r}") from None
                place = model.joints[name].v
                if not isinstance(place, int):
                    raise ValueError(f"the joint {name!r} has several degrees of freedom: "
                                     "friction is that of joints with one")
                self._set_friction(place, viscous, coulomb)
        return self  # type: ignore[no-any-return]
