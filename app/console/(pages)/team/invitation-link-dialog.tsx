import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";

/** The link of an invitation in the moment it is made: the email may not arrive on a new server. */
export function InvitationLinkDialog({
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
          An email with a link goes to {email}. If it does not arrive, give them this one yourself:
          it works once, for seven days, and is not shown again.
        </Text>
        <Text c="dimmed" size="sm">
          Who has this link can join as {email}. Their address counts as not confirmed then, since
          only the email shows that it is theirs. {children}
        </Text>
      </Stack>
    </SecretDialog>
  );
}
