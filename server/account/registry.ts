import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { createAppPassword } from "./app-passwords/create-app-password.ts";
import { deleteAppPassword } from "./app-passwords/delete-app-password.ts";
import { listAppPasswords } from "./app-passwords/list-app-passwords.ts";
import { listOwnQuarantine } from "./quarantine/list-own-quarantine.ts";
import { releaseOwnQuarantined } from "./quarantine/release-own-quarantined.ts";
import { getRules } from "./rules/get-rules.ts";
import { listScripts } from "./rules/list-scripts.ts";
import { resumeForwarding } from "./rules/resume-forwarding.ts";
import { saveFilters } from "./rules/save-filters.ts";
import { saveForwarding } from "./rules/save-forwarding.ts";
import { saveVacation } from "./rules/save-vacation.ts";
import {
  confirmTotp,
  finishPasskey,
  getPasskeyChallenge,
  regenerateRecoveryCodes,
  removePasskey,
  removeTotp,
  renamePasskey,
  startPasskey,
  startTotp,
} from "./second-factors/factor-endpoints.ts";
import { getFactors } from "./second-factors/get-factors.ts";
import { startProviderConfirmation } from "./second-factors/start-provider-confirmation.ts";
import { changePassword } from "./sessions/change-password.ts";
import { checkPasswordLink } from "./sessions/check-password-link.ts";
import { endMailAppSessions } from "./sessions/end-mail-app-sessions.ts";
import { endOtherSessions } from "./sessions/end-other-sessions.ts";
import { endSession } from "./sessions/end-session.ts";
import { getMe } from "./sessions/get-me.ts";
import { listSessions } from "./sessions/list-sessions.ts";
import { providerSignIn } from "./sessions/provider-sign-in.ts";
import { secondFactor } from "./sessions/second-factor.ts";
import { setPasswordByLink } from "./sessions/set-password-by-link.ts";
import { signIn } from "./sessions/sign-in.ts";
import { signOut } from "./sessions/sign-out.ts";
import { startProviderSignIn } from "./sessions/start-provider-sign-in.ts";
import { getConnect } from "./set-up/get-connect.ts";
import { getSetUp } from "./set-up/get-set-up.ts";

/** Every endpoint for the `/account` pages, under `/account/api`. */
export const endpoints: AnyEndpoint[] = [
  signIn,
  secondFactor,
  startProviderSignIn,
  providerSignIn,
  signOut,
  checkPasswordLink,
  setPasswordByLink,
  getMe,
  changePassword,
  getFactors,
  startTotp,
  confirmTotp,
  removeTotp,
  startPasskey,
  finishPasskey,
  renamePasskey,
  removePasskey,
  getPasskeyChallenge,
  startProviderConfirmation,
  regenerateRecoveryCodes,
  listSessions,
  endSession,
  endMailAppSessions,
  endOtherSessions,
  listAppPasswords,
  createAppPassword,
  deleteAppPassword,
  getRules,
  saveForwarding,
  resumeForwarding,
  saveVacation,
  saveFilters,
  listScripts,
  listOwnQuarantine,
  releaseOwnQuarantined,
  getSetUp,
  getConnect,
];
