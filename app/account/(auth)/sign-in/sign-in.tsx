"use client";

import { Button, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useRouter, useSearchParams } from "next/navigation";
import { type SubmitEvent, useId, useState } from "react";

import { accountLink } from "#app/account/account-link.tsx";
import { ACCOUNT, nextAccountPage, WEBMAIL } from "#app/account/account-page.ts";
import { keepTypedPassword, useMailboxSignIn } from "#app/account/queries.ts";
import { SecondFactorStep } from "#app/console/second-factors/second-factor-step.tsx";
import type { AskedFactors } from "#app/console/session.ts";
import { SingleSignOnButton } from "#app/console/single-sign-on/buttons.tsx";
import { ProviderSignIn } from "#app/console/single-sign-on/provider-sign-in.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formText } from "#app/console/ui/form/form-text.ts";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

export function AccountSignIn() {
  const router = useRouter();
  const text = useTexts();
  const search = useSearchParams();
  const formId = useId();
  const signIn = useMailboxSignIn();
  const [asked, setAsked] = useState<AskedFactors | null>(null);
  const enter = () => {
    const next = nextAccountPage(search.get("next"));
    // Webmail isn't a page of this app.
    if (`${next}/`.startsWith(WEBMAIL)) window.location.replace(next);
    else router.replace(next);
  };

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = formText(form, "password");
    signIn.mutate(
      { address: formText(form, "address"), password },
      {
        onSuccess({ secondFactor: factors }) {
          keepTypedPassword(password);
          if (factors) setAsked(factors);
          else enter();
        },
      },
    );
  }

  if (asked)
    return (
      <Stack gap="md">
        <Title order={1}>{text("identity.title")}</Title>
        <SecondFactorStep
          asked={asked}
          area="account"
          onSignedIn={enter}
          onRestart={() => {
            signIn.reset();
            setAsked(null);
          }}
        />
      </Stack>
    );
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{text("signIn.title")}</Title>
        <Text c="dimmed">{text("signIn.text")}</Text>
      </div>
      <form id={formId} onSubmit={handleSubmit} method="post">
        <Stack gap="md">
          <TextInput
            name="address"
            label={text("email")}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
          />
          <PasswordInput
            name="password"
            label={text("password")}
            description={text("signIn.password.hint")}
            autoComplete="current-password"
            required
            withAsterisk={false}
          />
          <FormError error={signIn.error} />
          <Button type="submit" size="md" aria-busy={signIn.isPending || signIn.isSuccess}>
            {text("signIn")}
          </Button>
        </Stack>
      </form>
      <SingleSignOnButton area={ACCOUNT} formId={formId} field="address" />
      <Text size="sm" c="dimmed">
        <RichText id="signIn.forgot" values={{ link: accountLink("/account/connect") }} />
      </Text>
    </Stack>
  );
}

export const AccountProviderSignIn = () => <ProviderSignIn area={ACCOUNT} />;
