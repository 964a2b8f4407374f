import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { Panel } from "#app/console/ui/panel.tsx";

export function OnHoldNotice({ mayDecide }: { mayDecide: boolean }) {
  return (
    <Panel title="Outgoing mail is on hold">
      <Text>
        This mailbox suddenly sent to many new recipients from a new network. Its password may have
        been stolen.{" "}
        {mayDecide ? (
          <>
            Review its{" "}
            <Anchor component={Link} href="/console/on-hold" underline="always">
              mail on hold
            </Anchor>{" "}
            and release it, or secure the mailbox.
          </>
        ) : (
          "An admin who can reset passwords can release it."
        )}
      </Text>
    </Panel>
  );
}
