/** What cdk8s and our model read of Node's globals. */
export const processOfBrowser = { env: {}, cwd: () => "/", emitWarning() {} };

export const Buffer = { byteLength: (text: string) => new TextEncoder().encode(text).length };
