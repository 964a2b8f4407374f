"use client";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";

import { RequestResetLink } from "./request-reset-link.tsx";
import { SetNewPassword } from "./set-new-password.tsx";

export function ResetPassword() {
  const token = useLinkToken();
  if (token === null) return null;
  return token === "" ? <RequestResetLink /> : <SetNewPassword token={token} />;
}
