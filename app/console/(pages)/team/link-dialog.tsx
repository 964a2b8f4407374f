import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";

/** The link of an invitation in the moment it is made: the email may not arrive on a new server. */
export function LinkDialog({
  email,
  link,
  onStored,
  children,
}: {
  email: string;
  link: string;
  onStored: () => void;
  children?: ReactNode;
}) {
  return (
    <SecretDialog
      title="The invitation is on its way"
      secret={link}
      fileName="posthouse-invitation.txt"
      onStored={onStored}
    >
      <Stack gap="xs">
        <Text>
          An email with this link goes to {email}. If it does not arrive, give them the link
          yourself: it works once, for seven days, and is not shown again.
        </Text>
        <Text c="dimmed" size="sm">
          Who has the link can join as {email}. {children}
        </Text>
      </Stack>
    </SecretDialog>
  );
}
