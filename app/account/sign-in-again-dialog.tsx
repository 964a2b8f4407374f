"use client";

import { Anchor, Group, Modal, PasswordInput, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { SecondFactorStep } from "#app/console/second-factors/second-factor-step.tsx";
import type { AskedFactors } from "#app/console/session-queries.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { accountSignInUrl } from "./account-page.ts";
import { SECOND_FACTOR_PATH } from "./factor-queries.ts";
import { meQuery, useResume, useSignInAgain } from "./queries.ts";

const ABOVE_ALL_DIALOGS = 1000;
/** Keeps Escape from closing a dialog underneath. */
const stopKeys = { "data-mantine-stop-propagation": "true" };

/** Shown over a page whose session has ended. After signing in, the mailbox user continues with what they typed. */
export function AccountSignInAgainDialog() {
  const address = useQueryClient().getQueryData(meQuery.queryKey)?.address ?? "";
  const signIn = useSignInAgain();
  const resume = useResume();
  const [asked, setAsked] = useState<AskedFactors | null>(null);
  const form = useForm({
    initialValues: { password: "" },
    labels: { password: "Password" },
    checks: { password: required },
    draft: null,
    send: ({ password }) => signIn.mutateAsync({ address, password }),
    onDone: ({ second_factor: factors }) => (factors ? setAsked(factors) : resume()),
  });
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Sign in again"
      size="sm"
      zIndex={ABOVE_ALL_DIALOGS}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {asked ? (
        <SecondFactorStep
          asked={asked}
          path={SECOND_FACTOR_PATH}
          onSignedIn={resume}
          onRestart={() => setAsked(null)}
        />
      ) : (
        <Form
          form={form}
          actions={
            <Group justify="space-between">
              <Anchor size="sm" href={accountSignInUrl(window.location)} {...stopKeys}>
                Leave page
              </Anchor>
              <SubmitButton form={form}>Sign in</SubmitButton>
            </Group>
          }
        >
          <Text>
            Your session has expired. Sign in as <b>{address}</b> to continue. Your unsaved changes
            are kept.
          </Text>
          <input type="hidden" name="username" autoComplete="username" value={address} />
          <PasswordInput
            {...form.field("password")}
            autoComplete="current-password"
            data-autofocus
            {...stopKeys}
          />
        </Form>
      )}
    </Modal>
  );
}
