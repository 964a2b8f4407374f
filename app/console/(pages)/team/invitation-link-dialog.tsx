import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { SecretDialog } from "#app/console/ui/dialog.tsx";

/** Shows a new invitation's link, because email may not arrive on a new server. */
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
      title="Invitation sent"
      secret={link}
      fileName="posthouse-invitation.txt"
      onStored={onStored}
    >
      <Stack gap="xs">
        <Text>
          We emailed a link to {email}. If it doesn’t arrive, send them this link yourself. It works
          once and expires in seven days. You won’t be able to see it again.
        </Text>
        <Text c="dimmed" size="sm">
          Anyone with this link can join as {email}. Their address stays unconfirmed if they use it,
          because only the emailed link proves that the address is theirs. {children}
        </Text>
      </Stack>
    </SecretDialog>
  );
}
