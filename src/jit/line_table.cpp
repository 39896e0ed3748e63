#include "line_table.hpp"

namespace oxide::jit {

void LineTable::open(llvm::Module& module, const ir::Graph& graph) {
  builder_.emplace(module);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 2);
  for (const std::string& path : graph.files) {
    const std::size_t slash = path.rfind('/');
    files_.push_back(slash == std::string::npos ? builder_->createFile(path, "")
                                                : builder_->createFile(path.substr(slash + 1), path.substr(0, slash)));
  }
  if (files_.empty()) files_.push_back(builder_->createFile("unknown", ""));
  builder_->createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C_plus_plus_14), files_[0], "oxide", true, "", 0, "",
                              llvm::DICompileUnit::DebugDirectivesOnly);
  type_ = builder_->createSubroutineType(builder_->getOrCreateTypeArray({}));
}

LineTable::Scopes LineTable::add(llvm::Function& function, llvm::StringRef name, const ir::Body& body) {
  Scopes scopes;
  if (!builder_) return scopes;
  const ir::Location start = body.blocks[0].operations.empty() ? ir::Location{} : body.blocks[0].operations[0].location;
  llvm::DIFile* own = files_[start.file < files_.size() ? start.file : 0];
  scopes.function_ = builder_->createFunction(own, name, function.getName(), own, start.line, type_, start.line, llvm::DINode::FlagZero,
                                              llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(scopes.function_);
  for (llvm::DIFile* file : files_)
    scopes.files_.push_back(file == own ? static_cast<llvm::DIScope*>(scopes.function_)
                                        : builder_->createLexicalBlockFile(scopes.function_, file));
  return scopes;
}

void LineTable::close() {
  if (builder_) builder_->finalize();
}

void LineTable::Scopes::at(Builder& b, const ir::Location& location) const {
  if (function_ == nullptr) return;
  const bool known = location.line != 0 && location.file < files_.size();
  b.SetCurrentDebugLocation(known ? llvm::DILocation::get(b.getContext(), location.line, location.column, files_[location.file])
                                  : llvm::DILocation::get(b.getContext(), 0, 0, function_));
}

}  // namespace oxide::jit
