"use client";

import {
  Anchor,
  Button,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import { HOME, signInUrl } from "#app/console/next-page.ts";
import { useAction, useChange } from "#app/console/ui/actions.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

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

type AcceptInvitationProps = { answer: InvitationAnswer; token: string };

function AcceptInvitation({ answer: { invitation, signedInAs }, token }: AcceptInvitationProps) {
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

const InvitationExpired = ({ isSignedIn }: { isSignedIn: boolean }) => (
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

const InvitationText = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap="xs">
    <Title order={1}>{title}</Title>
    <Text>{children}</Text>
  </Stack>
);

const inviterOf = ({ inviterName, invitedBy }: OpenInvitation) =>
  inviterName ? `${inviterName} (${invitedBy})` : invitedBy;

function accessText({ isOwner, roles }: OpenInvitation): string {
  if (isOwner) return "You’ll be an owner, with full access.";
  if (roles.length === 0) return "You don’t have a role yet.";
  return `Your ${roles.length === 1 ? "role" : "roles"}: ${roles.join(", ")}.`;
}

/**
 * Joins with a password. The form is the same for new and existing admins, so that it doesn't reveal
 * whether the address already signs in for another company.
 */
function JoinByPassword({ invitation, token }: { invitation: OpenInvitation; token: string }) {
  const accept = useAccept(token);
  const form = useForm({
    initialValues: { name: invitation.name, password: "" },
    labels: { name: "Name", password: "Password" },
    checks: { name: required, password: required },
    draft: null,
    send: accept.run,
    leavesPage: true,
  });
  const back = signInUrl({ pathname: "/console/invitation", search: "", hash: `#${token}` });

  return (
    <Form
      form={form}
      actions={
        <>
          <SubmitButton form={form} size="md">
            Join {invitation.company}
          </SubmitButton>
          <Text size="sm" c="dimmed">
            Already sign in here with a passkey or a second factor?{" "}
            <Anchor underline="always" href={back}>
              Sign in first
            </Anchor>
            . You’ll return to this page.
          </Text>
        </>
      }
    >
      <TextInput
        name="email"
        label="Email address"
        description="The invitation is for this address."
        autoComplete="username"
        readOnly
        value={invitation.email}
      />
      <TextInput {...form.field("name")} label="Your name" autoComplete="name" autoFocus />
      <PasswordInput
        {...form.field("password")}
        description="At least 12 characters. If you already sign in to this server, enter your current password."
        autoComplete="new-password"
      />
    </Form>
  );
}

type JoinBySessionProps = { invitation: OpenInvitation; token: string; signedInAs: string };

/** For signed-in admins: joins if the invitation is theirs, otherwise offers to sign out. */
function JoinBySession({ invitation, token, signedInAs }: JoinBySessionProps) {
  const accept = useAccept(token);
  const signOut = useChange("sessions.signOut", { invalidates: [invitationQuery(token)] });
  if (signedInAs !== invitation.email)
    return (
      <Stack gap="md">
        <Text>
          The invitation is for {invitation.email}, but you’re signed in as {signedInAs}. To accept
          it, sign out first.
        </Text>
        <Button size="md" aria-busy={signOut.isPending} onClick={() => signOut.start({})}>
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

type InvitationAnswer = AnswerOf<"invitations.get">;

type OpenInvitation = NonNullable<InvitationAnswer["invitation"]>;

const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ["invitation", token],
    queryFn: () => change("invitations.get", { body: { token } }),
    refetchOnWindowFocus: false,
  });

/** Opens the console. */
const useAccept = (token: string) =>
  useAction({
    call: (by: { name: string; password: string } | null) =>
      change("invitations.accept", {
        body: { token, ...by },
      }),
    // A full load drops data cached for another company.
    onDone: () => window.location.assign(HOME),
  });
