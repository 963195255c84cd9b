/** What the builder of JupyterLab must know besides its own: how TypeScript is read. Types are checked by `tsc`. */
module.exports = {
  // Other ids depend on the folder in which the extension is built, and the same commit would not give the same files.
  optimization: { moduleIds: "natural" },
  module: {
    rules: [
      {
        test: /\.ts$/,
        loader: "builtin:swc-loader",
        options: { jsc: { parser: { syntax: "typescript" }, target: "es2022" } },
        type: "javascript/auto",
      },
    ],
  },
};
