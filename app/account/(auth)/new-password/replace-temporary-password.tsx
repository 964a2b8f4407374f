"use client";

import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";

import { HOME } from "#app/account/account-page.ts";
import { meQuery, useSignOut } from "#app/account/queries.ts";
import { PasswordForm } from "#app/account/ui/password-form.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

export function ReplaceTemporaryPassword() {
  const router = useRouter();
  const me = useQuery(meQuery);
  const signOut = useSignOut();
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>Set a new password</Title>
        <Text c="dimmed">
          Your password is temporary. Mail apps can’t sign in until you set a new one.
        </Text>
      </div>
      <QueryView query={me} noun="your mailbox" skeleton={<Skeleton height={260} />}>
        {({ address, password_length_min: lengthMin }) => (
          <PasswordForm
            address={address}
            currentLabel="Temporary password"
            lengthMin={lengthMin}
            onChanged={() => router.replace(HOME)}
          />
        )}
      </QueryView>
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="left"
        onClick={() =>
          signOut.mutate(undefined, { onSuccess: () => router.replace("/account/sign-in") })
        }
      >
        Sign out
      </Anchor>
    </Stack>
  );
}
