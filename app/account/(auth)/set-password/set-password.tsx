"use client";

import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";

import { HOME } from "#app/account/account-page.ts";
import { passwordLinkQuery, useSetPasswordByLink } from "#app/account/queries.ts";
import { PasswordForm } from "#app/account/ui/password-form.tsx";
import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";

/** Opened from the link in the mail to a new mailbox user. */
export function SetPassword() {
  const token = useLinkToken();
  if (token === null) return null;
  return <SetPasswordByLink token={token} />;
}

function SetPasswordByLink({ token }: { token: string }) {
  const router = useRouter();
  const link = useQuery({ ...passwordLinkQuery(token), refetchOnWindowFocus: false });
  const setting = useSetPasswordByLink(token);
  const isExpired = link.error instanceof ConsoleError && link.error.status === 404;
  if (token === "" || isExpired) return <Expired />;
  return (
    <QueryView query={link} noun="this link" skeleton={<Skeleton height={280} />}>
      {({ address, passwordLengthMin: lengthMin }) => (
        <Stack gap="md">
          <div>
            <Title order={1}>Choose your password</Title>
            <Text c="dimmed">For your mailbox {address}. You’ll use it here and in mail apps.</Text>
          </div>
          <PasswordForm
            address={address}
            asksCurrent={false}
            lengthMin={lengthMin}
            send={({ password }) => setting.mutateAsync(password)}
            onChanged={() => router.replace(HOME)}
          />
        </Stack>
      )}
    </QueryView>
  );
}

function Expired() {
  return (
    <Stack gap="md">
      <Title order={1}>This link no longer works</Title>
      <Text role="alert">
        It has expired or was already used. If you can’t sign in, ask your company’s admin to reset
        your password.
      </Text>
      <Anchor component={Link} href="/account/sign-in" underline="always">
        Sign in
      </Anchor>
    </Stack>
  );
}
