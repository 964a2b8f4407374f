"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
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
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

import { accountLink } from "./account-link.tsx";
import { factorsQuery, MAILBOX_FACTORS, mailboxUserQuery } from "./queries.ts";

export function MailboxTwoFactor() {
  const text = useTexts();
  const me = useQuery(mailboxUserQuery);
  const factors = useQuery(factorsQuery);
  return (
    <>
      <PageHeader title={text("twoFactor")} description={text("twoFactor.description")} />
      {me.data && <MailAppsNotice areAppPasswordsAllowed={me.data.allows.appPasswords} />}
      <QueryView query={factors} noun={text("noun.factors")} skeleton={<Skeleton height={260} />}>
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
  const text = useTexts();
  return (
    <Text mb="md" maw={640}>
      {areAppPasswordsAllowed ? (
        <RichText id="twoFactor.apps" values={{ link: accountLink("/account/app-passwords") }} />
      ) : (
        text("twoFactor.apps.none")
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
  const text = useTexts();
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
      <Modal opened onClose={close} title={text("identity.title")}>
        <ConfirmIdentityForm
          factors={asked.factors}
          verb={verb}
          send={asked.retry}
          onDone={() => setAsked(null)}
          onClose={close}
        >
          {text("identity.reason")}
        </ConfirmIdentityForm>
      </Modal>
    </FactorEndpointsProvider>
  );
  return { run, dialog };
}

const isIdentityRequired = (error: unknown): error is ConsoleError =>
  error instanceof ConsoleError &&
  error.fields.some(({ path }) => path === "currentPassword" || path === "code");
