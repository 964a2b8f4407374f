"use client";

import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { HOME } from "#app/console/next-page.ts";
import { ExactTime } from "#app/console/ui/time.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { JoinByPassword } from "./join-by-password.tsx";
import { JoinBySession } from "./join-by-session.tsx";
import { type InvitationAnswer, invitationQuery, type OpenInvitation } from "./queries.ts";

export function Invitation() {
  const token = useLinkToken();
  return token === null ? <Skeleton height={280} /> : <InvitationByToken token={token} />;
}

function InvitationByToken({ token }: { token: string }) {
  const lookup = useQuery(invitationQuery(token));
  return (
    <QueryView
      query={lookup}
      noun="the invitation"
      skeleton={<Skeleton height={280} />}
      titleOrder={1}
    >
      {(answer) => <AcceptInvitation answer={answer} token={token} />}
    </QueryView>
  );
}

function AcceptInvitation({
  answer: { invitation, signedInAs },
  token,
}: {
  answer: InvitationAnswer;
  token: string;
}) {
  if (!invitation) return <InvitationExpired isSignedIn={signedInAs !== null} />;
  if (invitation.isExpired)
    return (
      <InvitationText title="This invitation has expired">
        It expired on <ExactTime at={invitation.expiresAt} />. Ask {inviterOf(invitation)} for a new
        one.
      </InvitationText>
    );
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Title order={1}>Join {invitation.company}</Title>
        <Text>
          {inviterOf(invitation)} invited you to help manage mail for {invitation.company}.{" "}
          {accessText(invitation)}
        </Text>
      </Stack>
      {signedInAs === null ? (
        <JoinByPassword invitation={invitation} token={token} />
      ) : (
        <JoinBySession invitation={invitation} token={token} signedInAs={signedInAs} />
      )}
    </Stack>
  );
}

function InvitationExpired({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <InvitationText title="This invitation is no longer valid">
      It was already accepted, withdrawn, or replaced by a newer one. Check your inbox for a later
      email. If you already accepted it,{" "}
      {isSignedIn ? (
        <Anchor component={Link} underline="always" href={HOME}>
          go to the console
        </Anchor>
      ) : (
        <Anchor component={Link} underline="always" href="/console/sign-in">
          sign in
        </Anchor>
      )}
      .
    </InvitationText>
  );
}

function InvitationText({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={1}>{title}</Title>
      <Text>{children}</Text>
    </Stack>
  );
}

const inviterOf = ({ inviterName, invitedBy }: OpenInvitation) =>
  inviterName ? `${inviterName} (${invitedBy})` : invitedBy;

function accessText({ isOwner, roles }: OpenInvitation): string {
  if (isOwner) return "You’ll be an owner, with full access.";
  if (roles.length === 0) return "You don’t have a role yet.";
  return `Your ${roles.length === 1 ? "role" : "roles"}: ${roles.join(", ")}.`;
}
