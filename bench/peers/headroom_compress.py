#!/usr/bin/env python3
"""headroom-ai's compress(): results made smaller, message by message. Usage: peer.py.

Defaults: no more is said than the model and its limit, the budget; as recommended for the largest savings: results near the end too."""
import peer

headroom, = peer.need("headroom")


def policy_for(budget, setting):
    more = {} if setting == "defaults" else {"protect_recent": 0, "target_ratio": 0.5}
    return lambda history: headroom.compress(history, model="gpt-4o", model_limit=budget, **more).messages


if __name__ == "__main__":
    peer.main(policy_for)
