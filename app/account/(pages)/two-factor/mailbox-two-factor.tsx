"use client";

import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { factorsQuery, MAILBOX_FACTORS } from "#app/account/factor-queries.ts";
import { meQuery } from "#app/account/queries.ts";
import { FactorEndpointsProvider } from "#app/console/second-factors/queries.ts";
import { TwoFactor } from "#app/console/second-factors/two-factor.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

export function MailboxTwoFactor() {
  const me = useQuery(meQuery);
  const factors = useQuery(factorsQuery);
  return (
    <>
      <PageHeader
        title="Two-factor authentication"
        description="A code or passkey in addition to your password when you sign in here."
      />
      {me.data && <MailAppsNotice areAppPasswordsAllowed={me.data.allows.appPasswords} />}
      <QueryView query={factors} noun="your second factors" skeleton={<Skeleton height={260} />}>
        {({ secondFactor }) => (
          <FactorEndpointsProvider value={MAILBOX_FACTORS}>
            <TwoFactor email={me.data?.address ?? ""} factors={secondFactor} />
          </FactorEndpointsProvider>
        )}
      </QueryView>
    </>
  );
}

function MailAppsNotice({ areAppPasswordsAllowed }: { areAppPasswordsAllowed: boolean }) {
  return (
    <Text mb="md" maw={640}>
      {areAppPasswordsAllowed ? (
        <>
          Mail apps can’t ask for a second factor. While two-factor authentication is on, your
          password doesn’t work in mail apps. Create an{" "}
          <Anchor component={Link} href="/account/app-passwords" inherit underline="always">
            app password
          </Anchor>{" "}
          for each app.
        </>
      ) : (
        "Mail apps can’t ask for a second factor. Your company doesn’t allow app passwords, so mail apps keep using your password."
      )}
    </Text>
  );
}
