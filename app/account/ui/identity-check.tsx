"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { factorsQuery, MAILBOX_FACTORS } from "#app/account/factor-queries.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { ConfirmIdentityForm } from "#app/console/second-factors/confirm-identity-form.tsx";
import {
  FactorEndpointsProvider,
  type Factors,
  type Identity,
} from "#app/console/second-factors/queries.ts";
import { Modal } from "#app/console/ui/dialog.tsx";

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
