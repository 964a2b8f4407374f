"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { meQuery } from "#app/account/queries.ts";
import { PasswordForm } from "#app/account/ui/password-form.tsx";
import { Saved } from "#app/account/ui/saved.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

export function Password() {
  const me = useQuery(meQuery);
  const [isChanged, setIsChanged] = useState(false);
  return (
    <>
      <PageHeader
        title="Password"
        description="It opens these pages, and mail apps that have no app password."
      />
      <Panel>
        <QueryView query={me} noun="your mailbox" skeleton={<Skeleton height={260} />}>
          {({ address, password_length_min: lengthMin }) => (
            <PasswordForm
              address={address}
              currentLabel="Current password"
              lengthMin={lengthMin}
              onChanged={() => setIsChanged(true)}
            />
          )}
        </QueryView>
        {isChanged && (
          <Saved>
            Your password is changed. You were signed out everywhere else; enter the new one in mail
            apps that used the old.
          </Saved>
        )}
        <Text size="sm" c="dimmed" mt="md">
          All other sessions end when you change it. App passwords stay as they are.
        </Text>
      </Panel>
    </>
  );
}
