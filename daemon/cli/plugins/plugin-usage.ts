// What `ironic-edge plugin --help` prints.
export const PLUGIN_USAGE = `usage: ironic-edge plugin new NAME [--protocol http|redfish|ipmi]
       ironic-edge plugin check FOLDER [--watch] [--config-file FILE]
       ironic-edge plugin try FOLDER NODE_JSON OPERATION [--arguments JSON] [--config-file FILE]
       ironic-edge plugin pack FOLDER [--key FILE] [--out FILE]
       ironic-edge plugin install FILE|URL [--key FILE|FINGERPRINT] [--unsigned] [--into DIRECTORY] [--config-file FILE]
       ironic-edge plugin remove NAME [--into DIRECTORY] [--config-file FILE]
       ironic-edge plugin reload NAME
       ironic-edge plugin list [--config-file FILE]
       ironic-edge plugin show TYPE [--config-file FILE]

  new      create the folder NAME with a working plugin and its tests
  check    load the plugin in FOLDER as the daemon does, check it against the contract, and run its own tests;
           with --watch again whenever one of its files changes
  try      call an operation, such as power.getPowerState, vendor.nodeMethods.event_log.call or
           management.steps.try_lamp.run, on a real machine without a daemon; the file NODE_JSON describes its node.
           --arguments is a JSON list of the arguments that follow the task, such as '["power on", 60]'
  pack     write the plugin in FOLDER to one file, NAME-VERSION.tgz, with checksums and, if --key is given, a signature;
           equal folders make equal files
  install  verify a packed plugin, check it, and install it or replace the installed version; if a step fails, nothing changes
  remove   remove an installed plugin
  reload   have the running daemon load the plugin again; operations under way finish with the old code
  list     list the plugins, where they come from, what they provide and what is loaded, and the folders that the daemon
           leaves out, each with the reason
  show     print the interfaces of a hardware type, such as generic, with the plugins that they come from

  --protocol     new: the protocol of the BMCs. It decides which interface the plugin extends, and which machine its tests
                 simulate. http: any API over HTTP
  --key          pack: the vendor's private key, a PEM file, made with: openssl genpkey -algorithm ed25519 -out vendor-key.pem
                 install: the key of the expected signer: a file with the public key, or its fingerprint (SHA256:...). Not
                 needed when the same key signed the installed version
  --unsigned     install a package that nobody has signed
  --into         install, remove: one of the directories of [plugins] path; the default is the first
  --config-file  as for serve
`;
