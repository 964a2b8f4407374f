"use client";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";

import { RequestResetLink } from "./request-reset-link.tsx";
import { NewPassword } from "./new-password.tsx";

export function ResetPassword() {
  const token = useLinkToken();
  if (token === null) return null;
  return token === "" ? <RequestResetLink /> : <NewPassword token={token} />;
}
