import { Text } from "@mantine/core";

import { EmptyList } from "#app/console/ui/empty-list.tsx";

/** What one sees while nothing is held: what would be. The list refreshes by itself. */
export function NothingHeld() {
  return (
    <EmptyList title="Nothing is held">
      <Text c="dimmed">
        Mail that is most likely spam, mail with a virus, and messages to groups that wait for a
        moderator are kept here: nobody receives them until somebody releases them. What only looks
        like spam is not held. It goes to Junk, where people find it themselves.
      </Text>
      <Text c="dimmed">
        Spam and viruses are found by rspamd, which <code>posthouse doctor</code> looks for on the
        server.
      </Text>
    </EmptyList>
  );
}
