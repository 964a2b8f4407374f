"use client";

import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import { ConsoleError } from "#app/console/console-client.ts";
import { ConfirmIdentityForm } from "#app/console/second-factors/confirm-identity.tsx";
import {
  FactorEndpointsProvider,
  type Factors,
  type Identity,
} from "#app/console/second-factors/queries.ts";
import { TwoFactor } from "#app/console/second-factors/two-factor.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { factorsQuery, MAILBOX_FACTORS, mailboxUserQuery } from "./queries.ts";

export function MailboxTwoFactor() {
  const me = useQuery(mailboxUserQuery);
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

type Asked = {
  factors: Factors;
  retry: (identity: Identity) => Promise<void>;
  cancel: () => void;
};

/**
 * For changes that may require the user to verify their identity: `run` makes the change, and if the server asks, `dialog`
 * asks the user and makes it again.
 *
 * @param verb of the dialog's button: "Save changes"
 */
export function useIdentityCheck(verb: string) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const queryClient = useQueryClient();

  async function run<Answer>(send: (identity?: Identity) => Promise<Answer>): Promise<Answer> {
    let required: ConsoleError;
    try {
      return await send();
    } catch (error) {
      if (!isIdentityRequired(error)) throw error;
      required = error;
    }
    const { secondFactor: factors } = await queryClient.query(factorsQuery);
    return new Promise((resolve, reject) => {
      setAsked({
        factors,
        retry: async (identity) => resolve(await send(identity)),
        cancel: () => reject(required),
      });
    });
  }

  function close() {
    asked?.cancel();
    setAsked(null);
  }

  const dialog = asked && (
    <FactorEndpointsProvider value={MAILBOX_FACTORS}>
      <Modal opened onClose={close} title="Verify it’s you">
        <ConfirmIdentityForm
          factors={asked.factors}
          verb={verb}
          send={asked.retry}
          onDone={() => setAsked(null)}
          onClose={close}
        >
          This change can let others read your mail, so we ask you to verify it’s you. You’ll get an
          email about it.
        </ConfirmIdentityForm>
      </Modal>
    </FactorEndpointsProvider>
  );
  return { run, dialog };
}

const isIdentityRequired = (error: unknown): error is ConsoleError =>
  error instanceof ConsoleError &&
  error.fields.some(({ path }) => path === "currentPassword" || path === "code");
