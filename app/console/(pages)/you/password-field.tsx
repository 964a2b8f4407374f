import { PasswordInput } from "@mantine/core";

import { problemOfField } from "#app/console/ui/form-problem.tsx";

/** The person's own password once more, before something that a borrowed browser must not do. */
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
        error={problemOfField(error, "current_password", "This")}
        required
        withAsterisk={false}
        data-autofocus
      />
    </>
  );
}

/** What no field of such a form is to blame for. */
export const notOfAField = (error: Error | null) =>
  error !== null && /^(current_password|code|name): /.test(error.message) ? null : error;
