import type { App } from 'aws-cdk-lib';

/** Synthesises where CDK itself is loaded: it reads the variables of that process, and reports there. Its notes hold the report, too. */
export const synthesiseQuietly = (app: App, isValidated: boolean): void => {
  const report = console.error;
  process.env.CDK_VALIDATION = `${isValidated}`;
  console.error = () => {};
  try {
    app.synth();
  } finally {
    console.error = report;
  }
};
