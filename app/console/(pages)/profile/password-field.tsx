import { PasswordInput } from "@mantine/core";

import { fieldError } from "#app/console/ui/form-error.tsx";

/** Asks for the password again, so that an unlocked browser alone can't weaken the sign-in. */
export function PasswordField({ email, error }: { email?: string; error: Error | null }) {
  return (
    <>
      {email !== undefined && (
        <input name="username" autoComplete="username" defaultValue={email} hidden />
      )}
      <PasswordInput
        name="password"
        label="Your password"
        autoComplete="current-password"
        error={fieldError(error, "current_password", "Password")}
        required
        withAsterisk={false}
        data-autofocus
      />
    </>
  );
}

/** The error unless one of the form's fields shows it. */
export const formLevelError = (error: Error | null) =>
  error !== null && /^(current_password|code|name): /.test(error.message) ? null : error;
