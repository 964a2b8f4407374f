"use client";

import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { HOME } from "#app/account/account-page.ts";
import { meQuery, useChangePassword, useSignOut } from "#app/account/queries.ts";
import { forgetTypedPassword, typedPassword } from "#app/account/typed-password.ts";
import { type NewPassword, PasswordForm } from "#app/account/ui/password-form.tsx";
import { ConsoleError } from "#app/console/console-client.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";

const isCurrent = ({ path }: { path: string }) => path === "currentPassword";

export function ReplaceTemporaryPassword() {
  const router = useRouter();
  const me = useQuery(meQuery);
  const signOut = useSignOut();
  const change = useChangePassword();
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
        <Title order={1}>Set a new password</Title>
        <Text c="dimmed">
          Your password is temporary. Mail apps can’t sign in until you set a new one.
        </Text>
      </div>
      <QueryView query={me} noun="your mailbox" skeleton={<Skeleton height={260} />}>
        {({ address, passwordLengthMin: lengthMin }) => (
          <PasswordForm
            address={address}
            currentLabel="Temporary password"
            asksCurrent={!isKnown}
            lengthMin={lengthMin}
            send={replace}
            onChanged={() => router.replace(HOME)}
          />
        )}
      </QueryView>
      <Anchor component="button" type="button" size="sm" ta="left" onClick={() => signOut.start()}>
        Sign out
      </Anchor>
    </Stack>
  );
}
