import { Anchor, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { SecondFactorStep } from "#app/console/second-factors/second-factor-step.tsx";
import type { AskedFactors } from "#app/console/session.ts";
import { providerToSignInAgain, startSingleSignOn } from "#app/console/single-sign-on/queries.ts";
import { ProviderWindowButton } from "#app/console/single-sign-on/buttons.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

import { ACCOUNT, accountSignInUrl } from "./account-page.ts";
import { mailboxUserQuery, useResume, useSignInAgain } from "./queries.ts";

const ABOVE_ALL_DIALOGS = 1000;
/** Keeps Escape from closing a dialog underneath. */
const stopKeys = { "data-mantine-stop-propagation": "true" };

/** Shown over a page whose session has ended. After signing in, the mailbox user continues with what they typed. */
export function AccountSignInAgainDialog() {
  const me = useQueryClient().getQueryData(mailboxUserQuery.queryKey);
  const text = useTexts();
  const address = me?.address ?? "";
  const signIn = useSignInAgain();
  const resuming = useResume();
  const resume = () => resuming.mutate();
  const [asked, setAsked] = useState<AskedFactors | null>(null);
  const form = useForm({
    initialValues: { password: "" },
    labels: { password: text("password") },
    checks: { password: required },
    draft: null,
    send: ({ password }) => signIn.mutateAsync({ address, password }),
    onDone: ({ secondFactor: factors }) => (factors ? setAsked(factors) : resume()),
  });
  const leave = (
    <Anchor size="sm" href={accountSignInUrl(window.location)} {...stopKeys}>
      {text("signInAgain.leave")}
    </Anchor>
  );
  const explanation = (
    <Text>
      <RichText id="signInAgain.text" values={{ address, b: (inside) => <b>{inside}</b> }} />
    </Text>
  );
  const start = providerToSignInAgain(me?.providerId, { email: address, error: signIn.error });
  const withProvider = (
    <>
      <FormError error={resuming.error} />
      {start && (
        <ProviderWindowButton start={() => startSingleSignOn(ACCOUNT, start)} onSignedIn={resume} />
      )}
    </>
  );

  return (
    <Modal
      opened
      onClose={() => {}}
      title={text("signInAgain")}
      size="sm"
      zIndex={ABOVE_ALL_DIALOGS}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {asked ? (
        <SecondFactorStep
          asked={asked}
          area="account"
          onSignedIn={resume}
          onRestart={() => setAsked(null)}
        />
      ) : me?.providerId && !me.acceptsPassword ? (
        <Stack gap="md">
          {explanation}
          {withProvider}
          {leave}
        </Stack>
      ) : (
        <Form
          form={form}
          actions={
            <Group justify="space-between">
              {leave}
              <SubmitButton form={form}>{text("signIn")}</SubmitButton>
            </Group>
          }
        >
          {explanation}
          <input type="hidden" name="username" autoComplete="username" value={address} />
          <PasswordInput
            {...form.field("password")}
            autoComplete="current-password"
            data-autofocus
            {...stopKeys}
          />
          {withProvider}
        </Form>
      )}
    </Modal>
  );
}
