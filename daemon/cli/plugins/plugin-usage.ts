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
           management.steps.try_lamp.run, with a node from a file and the machine that it names, without a daemon;
           --arguments is a JSON list of what follows the task, such as '["power on", 60]'
  pack     write the plugin in FOLDER to one file, NAME-VERSION.tgz, with checksums and a signature; equal folders make
           equal files
  install  verify a packed plugin, check it, and put it in place of an older version; nothing changes when that fails
  remove   remove an installed plugin
  reload   have the running daemon load the plugin again; operations under way finish with the old code
  list     list the plugins, where they come from, what they provide and what is loaded, and the folders set aside
  show     print the interfaces of a hardware type, such as generic, with the plugins that they come from

  --protocol     new: what the BMCs speak. It decides which interface the plugin extends and what machine its tests run on.
                 http: any API over HTTP
  --key          pack: the vendor's private key, a PEM file: openssl genpkey -algorithm ed25519 -out vendor-key.pem
                 install: whose signature is expected, as a file with the public key or its fingerprint (SHA256:...); not
                 needed for a new version with the same signature
  --unsigned     install a package that nobody has signed
  --into         a directory of [plugins] path; otherwise the first
  --config-file  as for serve
`;
