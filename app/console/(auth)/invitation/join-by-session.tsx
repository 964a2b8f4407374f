"use client";

import { Anchor, Button, Stack, Text } from "@mantine/core";
import Link from "next/link";

import { HOME } from "#app/console/next-page.ts";

import { type OpenInvitation, useAccept, useSignOutHere } from "./queries.ts";

/** For signed-in admins: joins if the invitation is theirs, otherwise offers to sign out. */
export function JoinBySession({
  invitation,
  token,
  signedInAs,
}: {
  invitation: OpenInvitation;
  token: string;
  signedInAs: string;
}) {
  const accept = useAccept(token);
  const signOut = useSignOutHere(token);
  if (signedInAs !== invitation.email)
    return (
      <Stack gap="md">
        <Text>
          The invitation is for {invitation.email}, but you’re signed in as {signedInAs}. To accept
          it, sign out first.
        </Text>
        <Button size="md" aria-busy={signOut.isPending} onClick={() => signOut.start()}>
          Sign out
        </Button>
        <Anchor component={Link} href={HOME}>
          Stay signed in, and go to the console
        </Anchor>
      </Stack>
    );
  return (
    <Stack gap="md">
      <Text>You’re signed in as {signedInAs}. You’ll keep access to your other companies.</Text>
      <Button
        size="md"
        aria-busy={accept.isPending || accept.answer !== undefined}
        onClick={() => accept.start(null)}
      >
        Join {invitation.company}
      </Button>
    </Stack>
  );
}
