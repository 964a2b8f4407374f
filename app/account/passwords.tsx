"use client";

import { Anchor, PasswordInput, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { PasswordField, passwordGiven } from "#app/console/second-factors/confirm-identity.tsx";
import { repeats, required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { StatusDot } from "#app/console/ui/status.tsx";
import { useTexts } from "#app/console/ui/texts.tsx";

import { ACCOUNT_HOME } from "./account-page.ts";
import {
  forgetTypedPassword,
  mailboxUserQuery,
  type NewPassword,
  passwordLinkQuery,
  typedPassword,
  useChangeOwnPassword,
  useMailboxSignOut,
  useSetPasswordByLink,
} from "./queries.ts";

/**
 * Asks for the current password and the new one, twice.
 *
 * @param currentLabel label of the current password
 * @param asksCurrent false if `send` knows the current password, or needs none
 */
function PasswordForm({
  address,
  currentLabel,
  asksCurrent = true,
  lengthMin,
  send,
  onChanged,
}: {
  address: string;
  currentLabel?: string;
  asksCurrent?: boolean;
  lengthMin: number;
  send: (passwords: NewPassword) => Promise<unknown>;
  onChanged: () => void;
}) {
  const text = useTexts();
  const label = currentLabel ?? text("password.current");
  const form = useForm({
    initialValues: { currentPassword: "", password: "", again: "" },
    labels: {
      currentPassword: label,
      password: text("password.new"),
      again: text("password.repeat"),
    },
    checks: {
      ...(asksCurrent && { currentPassword: passwordGiven }),
      password: required,
      again: repeats("password"),
    },
    draft: null,
    send: ({ currentPassword, password }) => send({ currentPassword, password }),
    onDone: onChanged,
    clearsOnDone: true,
  });

  return (
    <Form form={form} maxWidth={400} submit={text("password.set")}>
      {/* For the browser's password manager. */}
      <input name="username" autoComplete="username" defaultValue={address} hidden />
      {asksCurrent && <PasswordField label={label} field={form.field("currentPassword")} />}
      <PasswordInput
        {...form.field("password")}
        description={text("password.hint", { min: lengthMin })}
        autoComplete="new-password"
      />
      <PasswordInput {...form.field("again")} autoComplete="new-password" />
    </Form>
  );
}

/** A success message, announced to screen readers. */
export const SavedNotice = ({ children }: { children: ReactNode }) => (
  <Text role="status" size="sm" mt="sm">
    <StatusDot tone="done" /> {children}
  </Text>
);

const isCurrent = ({ path }: { path: string }) => path === "currentPassword";

export function ReplaceTemporaryPassword() {
  const router = useRouter();
  const text = useTexts();
  const me = useQuery(mailboxUserQuery);
  const signOut = useMailboxSignOut();
  const change = useChangeOwnPassword();
  const [isKnown, setIsKnown] = useState(() => typedPassword() !== "");

  async function replace({ currentPassword: asked, password }: NewPassword) {
    try {
      await change.mutateAsync({ currentPassword: isKnown ? typedPassword() : asked, password });
    } catch (error) {
      // The temporary password was changed meanwhile, or is no longer in memory.
      if (error instanceof ConsoleError && error.fields.some(isCurrent)) setIsKnown(false);
      throw error;
    }
    forgetTypedPassword();
  }
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{text("password.replace")}</Title>
        <Text c="dimmed">{text("password.replace.text")}</Text>
      </div>
      <QueryView query={me} noun={text("noun.mailbox")} skeleton={<Skeleton height={260} />}>
        {({ address, passwordLengthMin: lengthMin }) => (
          <PasswordForm
            address={address}
            currentLabel={text("password.temporary")}
            asksCurrent={!isKnown}
            lengthMin={lengthMin}
            send={replace}
            onChanged={() => router.replace(ACCOUNT_HOME)}
          />
        )}
      </QueryView>
      <Anchor component="button" type="button" size="sm" ta="left" onClick={() => signOut.start()}>
        {text("signOut")}
      </Anchor>
    </Stack>
  );
}

/** Opened from the link in the mail to a new mailbox user. */
export function SetPassword() {
  const token = useLinkToken();
  if (token === null) return null;
  return <SetPasswordByLink token={token} />;
}

function SetPasswordByLink({ token }: { token: string }) {
  const router = useRouter();
  const text = useTexts();
  const link = useQuery({ ...passwordLinkQuery(token), refetchOnWindowFocus: false });
  const setting = useSetPasswordByLink(token);
  const isExpired = link.error instanceof ConsoleError && link.error.status === 404;
  if (token === "" || isExpired) return <Expired />;
  return (
    <QueryView query={link} noun={text("noun.link")} skeleton={<Skeleton height={280} />}>
      {({ address, passwordLengthMin: lengthMin }) => (
        <Stack gap="md">
          <div>
            <Title order={1}>{text("password.choose")}</Title>
            <Text c="dimmed">{text("password.choose.text", { address })}</Text>
          </div>
          <PasswordForm
            address={address}
            asksCurrent={false}
            lengthMin={lengthMin}
            send={({ password }) => setting.mutateAsync(password)}
            onChanged={() => router.replace(ACCOUNT_HOME)}
          />
        </Stack>
      )}
    </QueryView>
  );
}

function Expired() {
  const text = useTexts();
  return (
    <Stack gap="md">
      <Title order={1}>{text("password.expired")}</Title>
      <Text role="alert">{text("password.expired.text")}</Text>
      <Anchor component={Link} href="/account/sign-in" underline="always">
        {text("signIn")}
      </Anchor>
    </Stack>
  );
}

export function ChangeMailboxPassword() {
  const text = useTexts();
  const me = useQuery(mailboxUserQuery);
  const change = useChangeOwnPassword();
  const [isChanged, setIsChanged] = useState(false);
  return (
    <>
      <PageHeader title={text("password")} description={text("password.text")} />
      <Panel>
        <QueryView query={me} noun={text("noun.mailbox")} skeleton={<Skeleton height={260} />}>
          {({ address, passwordLengthMin: lengthMin }) => (
            <PasswordForm
              address={address}
              lengthMin={lengthMin}
              send={change.mutateAsync}
              onChanged={() => setIsChanged(true)}
            />
          )}
        </QueryView>
        {isChanged && <SavedNotice>{text("password.changed")}</SavedNotice>}
        <Text size="sm" c="dimmed" mt="md">
          {text("password.effect")}
        </Text>
      </Panel>
    </>
  );
}
