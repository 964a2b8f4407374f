"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { meQuery, useChangePassword } from "#app/account/queries.ts";
import { PasswordForm } from "#app/account/ui/password-form.tsx";
import { SavedNotice } from "#app/account/ui/saved.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

export function ChangeMailboxPassword() {
  const me = useQuery(meQuery);
  const change = useChangePassword();
  const [isChanged, setIsChanged] = useState(false);
  return (
    <>
      <PageHeader
        title="Password"
        description="Use it to sign in here and in mail apps without an app password."
      />
      <Panel>
        <QueryView query={me} noun="your mailbox" skeleton={<Skeleton height={260} />}>
          {({ address, passwordLengthMin: lengthMin }) => (
            <PasswordForm
              address={address}
              lengthMin={lengthMin}
              send={change.mutateAsync}
              onChanged={() => setIsChanged(true)}
            />
          )}
        </QueryView>
        {isChanged && (
          <SavedNotice>
            Password changed. You were signed out everywhere else. Enter the new password in mail
            apps that used the old one.
          </SavedNotice>
        )}
        <Text size="sm" c="dimmed" mt="md">
          Changing your password ends all your other sessions. App passwords keep working.
        </Text>
      </Panel>
    </>
  );
}
