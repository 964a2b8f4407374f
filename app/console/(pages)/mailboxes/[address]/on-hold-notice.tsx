import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { Panel } from "#app/console/ui/panel.tsx";

/** Why nothing that this person writes leaves, and where that is decided. */
export function OnHoldNotice({ mayDecide }: { mayDecide: boolean }) {
  return (
    <Panel title="What it sends is held">
      <Text>
        It suddenly wrote to many people it never wrote to, from a network that is new for it:
        somebody may have its password.{" "}
        {mayDecide ? (
          <>
            Look at{" "}
            <Anchor component={Link} href="/console/on-hold" underline="always">
              held mail
            </Anchor>{" "}
            and release it, or shut the stranger out.
          </>
        ) : (
          "Somebody who may reset its password decides what becomes of it."
        )}
      </Text>
    </Panel>
  );
}
